-- returns snapshot text
/* read-referred-snapshots */
select distinct
  snapshot
from
  export_job
where
  tenant_id = $n
  and snapshot = any ($n::text[]);
