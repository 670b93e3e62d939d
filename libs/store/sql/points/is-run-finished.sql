-- returns finished boolean
/* prepared: is-run-finished */
select
  bool_and(
    completed_bytes is not null
    and completed_bytes = durable_offset
  ) as finished
from
  event_file
where
  tenant_id = $n
  and run_id = $n;
