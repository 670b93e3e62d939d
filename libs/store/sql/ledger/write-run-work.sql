-- returns failures integer, batch_bytes bigint, last_error text
select
  /* read-run-failures */
  "failures",
  "batch_bytes",
  "last_error"
from
  "run_work"
where
  "tenant_id" = $n
  and "run_id" = $n
  and "retry_at" <= now()
for update;

-- returns file_id bigint
/* end-files-file-progress */
update file_progress p
set
  ended = true,
  rejected_bytes = p.rejected_bytes + greatest(
    0,
    coalesce(
      (
        select
          min(s."offset")
        from
          pending_segment s
        where
          s.tenant_id = $n
          and s.experiment_id = $n
          and s.run_id = $n
          and s.file_id = p.file_id
      ),
      f.durable_offset
    ) - p.parsed_offset
  )
from
  event_file f
where
  p.tenant_id = $n
  and p.file_id = $n
  and not p.ended
  and p.parsed_offset = $n
  and f.tenant_id = $n
  and f.file_id = p.file_id
returning
  p.file_id;

/* clear-run-failures */
update run_work
set
  failures = 0,
  batch_bytes = $n,
  last_error = null
where
  tenant_id = $n
  and run_id = $n;

/* clear-run-failures */
update run_work
set
  failures = failures,
  batch_bytes = $n,
  last_error = null
where
  tenant_id = $n
  and run_id = $n;

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

/* write-run-failure */
update run_work
set
  failures = $n,
  retry_at = now() + make_interval(secs => $n),
  batch_bytes = $n,
  last_error = $n
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
  ($n, …) /* end-files-file-problem */;
