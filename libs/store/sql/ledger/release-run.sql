/* forget-run-failures */
update run_work
set
  failures = 0,
  last_error = null
where
  tenant_id = $n
  and run_id = $n;

/* release-run */
update run_work
set
  held_by = null
where
  tenant_id = $n
  and run_id = $n
  and held_by = $n;
