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

-- returns object_key text
/* delete-segments-before */
delete from segment
where
  tenant_id = $n
  and file_id = $n
  and "offset" < $n
returning
  object_key;

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

/* set-original */
update event_file
set
  original_key = $n,
  joined_bytes = $n,
  sha256 = coalesce($n, sha256)
where
  tenant_id = $n
  and file_id = $n;
