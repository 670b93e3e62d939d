-- returns epoch bigint
/* advance-epoch */
update experiment_epoch
set
  acknowledged_epoch = acknowledged_epoch + 1,
  acknowledged_bytes = acknowledged_bytes + $n,
  stored_bytes = stored_bytes + $n,
  acknowledged_at = now()
where
  tenant_id = $n
  and experiment_id = $n
returning
  acknowledged_epoch as epoch;

-- returns epoch bigint
/* read-acknowledged-epoch */
select
  acknowledged_epoch as epoch
from
  experiment_epoch
where
  tenant_id = $n
  and experiment_id = $n;
