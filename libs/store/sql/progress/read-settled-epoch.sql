-- returns epoch bigint
/* prepared: read-settled-epoch */
select
  a.acknowledged_epoch as epoch
from
  experiment_epoch a
  join progress_view v on v.tenant_id = $n
  and v.experiment_id = a.experiment_id
  and v.published_epoch = a.acknowledged_epoch
where
  a.tenant_id = $n
  and a.experiment_id = $n;
