-- returns tenant_id uuid, deletion_id uuid
/* read-unfinished-deletions */
select
  tenant_id,
  deletion_id
from
  deletion
where
  finished_at is null
  and worker_until <= now()
order by
  requested_at
limit
  $n;
