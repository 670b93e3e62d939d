insert into "file_problem" ("tenant_id", "file_id", "offset", "problem_no", "run_id", "experiment_id", "reason", "detail", "bytes", "ends_file")
values ($n, …)
on conflict do nothing;

select "failures", "batch_bytes"
from "run_work"
where "tenant_id" = $n
and "run_id" = $n;

update run_work
set failures = 0, batch_bytes = $n, last_error = null
where tenant_id = $n
and run_id = $n;

update run_work
set failures = 0, batch_bytes = null, retry_at = now()
where tenant_id = $n
and run_id = $n;

update run_work
set failures = failures + $n, retry_at = now() + make_interval(secs => $n), batch_bytes = $n, last_error = $n
where tenant_id = $n
and run_id = $n;

update run_work
set failures = failures, batch_bytes = $n, last_error = null
where tenant_id = $n
and run_id = $n;
