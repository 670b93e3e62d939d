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

-- returns epoch bigint, age_ms float8
/* read-last-acknowledgement */
select
  acknowledged_epoch as epoch,
  (
    extract(
      epoch
      from
        clock_timestamp() - acknowledged_at
    ) * 1000
  )::float8 as age_ms
from
  experiment_epoch
where
  tenant_id = $n
  and experiment_id = $n;
