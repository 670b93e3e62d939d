-- returns owner_id uuid, visibility text, frozen boolean
/* prepared: find-experiment */
select
  owner_id,
  visibility,
  snapshot_of is not null as frozen
from
  experiment
where
  tenant_id = $n
  and experiment_id = $n
  and deleted_at is null;
