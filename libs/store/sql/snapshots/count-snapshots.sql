-- returns snapshots bigint, citable bigint
/* count-snapshots-of */
select
  count(*) as snapshots,
  count(c.experiment_id) as citable
from
  experiment e
  left join citation c on c.tenant_id = $n
  and c.experiment_id = e.experiment_id
where
  e.tenant_id = $n
  and e.snapshot_of = $n
  and e.deleted_at is null;
