/* count-removed */
update deletion
set
  runs = runs + $n,
  files = files + $n,
  series = series + $n,
  points = points + $n,
  objects = objects + $n,
  bytes = bytes + $n
where
  tenant_id = $n
  and deletion_id = $n;

/* count-rewritten */
update deletion
set
  rewritten_files = rewritten_files + 1,
  rewritten_bytes = rewritten_bytes + $n
where
  tenant_id = $n
  and deletion_id = $n;

/* leave-run */
update deletion
set
  run_ids = array_remove(run_ids, $n::bigint)
where
  tenant_id = $n
  and deletion_id = $n;
