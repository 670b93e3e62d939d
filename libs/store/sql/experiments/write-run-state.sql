/* prepared: write-run-state */
with
  batch (
    tenant_id,
    run_id,
    experiment_id,
    events,
    start_time,
    last_time,
    status,
    group_name,
    hparams,
    points,
    series,
    value_bytes
  ) as (
    values
      (
        $n::uuid,
        $n::bigint,
        $n,
        …::bigint,
        $n::float8,
        $n::float8,
        $n,
        …::jsonb,
        $n::bigint,
        $n::bigint,
        $n::bigint
      )
  ),
  added as (
    update run_state r
    set
      events = r.events + b.events,
      start_time = least(r.start_time, b.start_time),
      last_time = greatest(r.last_time, b.last_time),
      status = case
        when b.status = 'unknown' then r.status
        else b.status
      end,
      group_name = coalesce(r.group_name, b.group_name),
      hparams = coalesce(r.hparams, b.hparams),
      ingested_at = now(),
      points = r.points + b.points,
      series = r.series + b.series,
      value_bytes = r.value_bytes + b.value_bytes
    from
      batch b
    where
      r.tenant_id = $n
      and r.run_id = $n
    returning
      1
  )
insert into
  run_state (
    tenant_id,
    run_id,
    experiment_id,
    events,
    start_time,
    last_time,
    status,
    group_name,
    hparams,
    points,
    series,
    value_bytes,
    ingested_at
  )
select
  *,
  now()
from
  batch
where
  not exists (
    select
    from
      added
  );
