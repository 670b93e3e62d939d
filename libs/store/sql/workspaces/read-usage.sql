-- returns ?column? integer
/* count-experiments-to-add-workspace */
select
  1
from
  workspace
where
  tenant_id = $n
for no key update;

-- returns count bigint
/* count-experiments-to-add-experiment */
select
  count(*) as count
from
  experiment
where
  tenant_id = $n;

-- returns points numeric, series numeric, value numeric, experiments bigint, files bigint, original numeric, deleting numeric, exported numeric, pending bigint
/* read-usage */
select
  r.points,
  r.series,
  r.value,
  (
    select
      count(*)
    from
      experiment
    where
      tenant_id = $n
  ) as experiments,
  (
    select
      count(*)
    from
      event_file
    where
      tenant_id = $n
  ) as files,
  (
    select
      coalesce(sum(stored_bytes), 0)
    from
      experiment_epoch
    where
      tenant_id = $n
  ) as original,
  (
    select
      coalesce(sum(bytes), 0)
    from
      object_to_delete
    where
      tenant_id = $n
  ) as deleting,
  (
    select
      coalesce(sum(bytes), 0)
    from
      export_job
    where
      tenant_id = $n
  ) as exported,
  (
    select
      coalesce(sum(length), 0)
    from
      pending_segment
    where
      tenant_id = $n
  ) as pending
from
  (
    select
      coalesce(sum(points), 0) as points,
      coalesce(sum(series), 0) as series,
      coalesce(sum(value_bytes), 0) as value
    from
      run_state
    where
      tenant_id = $n
  ) r;
