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
