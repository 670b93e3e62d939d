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
on conflict do nothing /* write-file-problems */;

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
  ($n, …),
  …
on conflict do nothing /* write-file-problems */;
