/* finish-deletion */
update deletion
set
  finished_at = now(),
  last_error = null
where
  tenant_id = $n
  and deletion_id = $n
  and finished_at is null;

/* note-deletion-failure */
update deletion
set
  last_error = $n,
  worker_until = now() + make_interval(secs => $n)
where
  tenant_id = $n
  and deletion_id = $n;
