-- returns tenant_id uuid, cost bigint
/* read-pending-bytes */
select
  p.tenant_id,
  sum(greatest(p.length, $n::integer)) as cost
from
  pending_segment p
group by
  p.tenant_id;
