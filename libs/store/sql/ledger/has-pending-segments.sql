-- returns ?column? integer
/* has-pending-segments */
select
  1
from
  pending_segment
where
  tenant_id = $n
  and experiment_id = $n
  and run_id = $n
  and file_id = $n
limit
  1;

/* has-unread-bytes */
select
from
  file_problem
where
  tenant_id = $n
  and file_id = $n
  and ends_file
  and reason in ($n, …)
limit
  1;
