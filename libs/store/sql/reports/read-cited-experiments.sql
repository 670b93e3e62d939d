-- returns experiment_id text, name text, owner_id uuid
/* read-cited-experiments */
select
  experiment_id,
  name,
  owner_id
from
  experiment
where
  tenant_id = $n
  and experiment_id = any ($n::text[])
  and deleted_at is null;
