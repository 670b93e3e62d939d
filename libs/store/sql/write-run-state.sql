/* prepared: write-run-state */ insert into run_state as r (tenant_id, run_id, experiment_id, events, start_time, last_time, status, group_name, hparams, points, series, value_bytes)
values ($n, …::jsonb, $n, …)
on conflict (tenant_id, run_id) do update
set events = r.events + excluded.events, start_time = least(r.start_time, excluded.start_time), last_time = greatest(r.last_time, excluded.last_time), status = case when excluded.status = 'unknown' then r.status else excluded.status end, group_name = coalesce(r.group_name, excluded.group_name), hparams = coalesce(r.hparams, excluded.hparams), points = r.points + excluded.points, series = r.series + excluded.series, value_bytes = r.value_bytes + excluded.value_bytes;
