-- returns export_id uuid, experiment_id text, format text, runs text[], tags text[], snapshot text, state text, requested_at timestamptz, finished_at timestamptz, expires_at timestamptz, attempts integer, points bigint, total_points bigint, files integer, bytes bigint, total_bytes bigint, problem text
/* insert-export-job */
insert into
  export_job as j (tenant_id, export_id, experiment_id, format, runs, tags, content_key)
values
  ($n, …::text[], $n::text[], $n)
returning
  j.export_id,
  j.experiment_id,
  j.format,
  j.runs,
  j.tags,
  j.snapshot,
  j.state,
  j.requested_at,
  j.finished_at,
  j.expires_at,
  j.attempts,
  j.points,
  j.total_points,
  j.files,
  j.bytes,
  j.total_bytes,
  j.problem;

-- returns pg_advisory_xact_lock void
/* lock-exports */
select
  pg_advisory_xact_lock(hashtextextended ($n, 38));
