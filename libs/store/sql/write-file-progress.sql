insert into "session_start" ("tenant_id", "run_id", "file_id", "offset", "step", "wall_time")
values ($n, …)
on conflict do nothing;

insert into "session_start" ("tenant_id", "run_id", "file_id", "offset", "step", "wall_time")
values ($n, …), …
on conflict do nothing;

update file_progress
set parsed_offset = $n, needs_offset = $n, ended = $n, records = records + $n, rejected_bytes = rejected_bytes + $n
where tenant_id = $n
and file_id = $n;
