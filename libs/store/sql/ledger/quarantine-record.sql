/* retry-run-now */
update run_work
set
  failures = 0,
  batch_bytes = null,
  last_error = null,
  retry_at = now()
where
  tenant_id = $n
  and run_id = $n;

insert into
  "file_problem" (
    "tenant_id",
    "file_id",
    "offset",
    "problem_no",
    "run_id",
    "experiment_id",
    "reason",
    "detail",
    "bytes",
    "ends_file"
  )
values
  ($n, …)
on conflict do nothing /* quarantine-record */;
