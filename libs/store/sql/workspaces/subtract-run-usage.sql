/* subtract-run-usage */
update run_state
set
  points = points - $n,
  series = series - $n,
  value_bytes = value_bytes - $n
where
  tenant_id = $n
  and run_id = $n;
