-- returns run_id bigint
/* request-remark */
update run_work w
set
  remark = true,
  retry_at = least(retry_at, now())
from
  experiment e
where
  w.tenant_id = $n
  and w.experiment_id = $n
  and (
    $n::bigint is null
    or w.run_id = $n::bigint
  )
  and e.tenant_id = $n
  and e.experiment_id = w.experiment_id
  and e.deleted_at is null
  and e.snapshot_of is null
returning
  w.run_id;

/* settle-remark */
update run_work
set
  remark = false
where
  tenant_id = $n
  and run_id = $n;
