-- returns export_id uuid, experiment_id text, format text, runs text[], tags text[], snapshot text, state text, requested_at timestamptz, finished_at timestamptz, expires_at timestamptz, attempts integer, points bigint, total_points bigint, files integer, bytes bigint, total_bytes bigint, problem text
/* list-export-jobs */
select
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
  j.problem
from
  export_job j
where
  j.tenant_id = $n
  and j.experiment_id = $n
  and (
    j.expires_at is null
    or j.expires_at > now()
  )
order by
  j.requested_at desc
limit
  $n;
