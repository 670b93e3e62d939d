-- returns deletion_id uuid, kind text, experiment_id text, run_ids bigint[], tag_hashes bytea[], from_step bigint, to_step bigint, through_epoch bigint, requested_by uuid, requested_at timestamptz, started_at timestamptz, finished_at timestamptz, runs bigint, files bigint, series bigint, points bigint, objects bigint, bytes bigint, rewritten_files bigint, rewritten_bytes bigint
/* claim-deletion-deletion */
update deletion d
set
  worker_until = now() + make_interval(secs => $n)
where
  d.tenant_id = $n
  and d.deletion_id = $n
  and d.finished_at is null
  and d.worker_until <= now()
returning
  d.deletion_id,
  d.kind,
  d.experiment_id,
  d.run_ids,
  d.tag_hashes,
  d.from_step,
  d.to_step,
  d.through_epoch,
  d.requested_by,
  d.requested_at,
  d.started_at,
  d.finished_at,
  d.runs,
  d.files,
  d.series,
  d.points,
  d.objects,
  d.bytes,
  d.rewritten_files,
  d.rewritten_bytes;

/* claim-deletion */
update deletion
set
  started_at = now()
where
  tenant_id = $n
  and deletion_id = $n
  and started_at is null
  and finished_at is null
  and worker_until <= now();

/* renew-deletion */
update deletion
set
  worker_until = now() + make_interval(secs => $n)
where
  tenant_id = $n
  and deletion_id = $n;
