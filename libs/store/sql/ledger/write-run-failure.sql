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
