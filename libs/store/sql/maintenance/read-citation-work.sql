-- returns tenant_id uuid, experiment_id text
/* read-waiting-citations */
select distinct
  on (c.tenant_id) c.tenant_id,
  c.experiment_id
from
  citation c
where
  c.digest is null
  and c.worker_until <= now()
  and c.attempts < $n
  and not exists (
    select
      1
    from
      citation b
    where
      b.tenant_id = c.tenant_id
      and b.digest is null
      and b.worker_until > now()
  )
order by
  c.tenant_id,
  c.created_at
limit
  $n;
