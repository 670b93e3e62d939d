-- returns ?column? integer
/* finish-export */
update export_job j
set
  state = 'finished',
  finished_at = now(),
  expires_at = now() + make_interval(secs => $n),
  points = $n,
  total_points = $n,
  files = $n,
  bytes = $n
where
  j.tenant_id = $n
  and j.export_id = $n
  and j.attempts = $n
  and j.state = 'running'
  and (
    j.expires_at is null
    or j.expires_at > now()
  )
returning
  1;

-- returns ?column? integer
/* renew-export */
update export_job j
set
  worker_until = now() + make_interval(secs => $n),
  points = $n,
  total_points = $n,
  bytes = $n,
  total_bytes = $n,
  snapshot = $n
where
  j.tenant_id = $n
  and j.export_id = $n
  and j.attempts = $n
  and j.state = 'running'
  and (
    j.expires_at is null
    or j.expires_at > now()
  )
returning
  1;

-- returns export_id uuid, experiment_id text, format text, runs text[], tags text[], snapshot text, state text, requested_at timestamptz, finished_at timestamptz, expires_at timestamptz, attempts integer, points bigint, total_points bigint, files integer, bytes bigint, total_bytes bigint, problem text
/* claim-export */
update export_job j
set
  worker_until = now() + make_interval(secs => $n),
  attempts = j.attempts + 1,
  state = 'running'
where
  j.tenant_id = $n
  and j.export_id = $n
  and j.state in ('queued', 'running')
  and j.worker_until <= now()
  and (
    j.expires_at is null
    or j.expires_at > now()
  )
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

/* fail-export */
update export_job j
set
  state = 'failed',
  problem = $n,
  snapshot = null,
  bytes = 0,
  finished_at = now(),
  expires_at = now() + make_interval(secs => $n)
where
  j.tenant_id = $n
  and j.export_id = $n
  and j.attempts = $n
  and j.state = 'running'
  and (
    j.expires_at is null
    or j.expires_at > now()
  );

/* release-export */
update export_job j
set
  worker_until = now() + make_interval(secs => $n),
  snapshot = null
where
  j.tenant_id = $n
  and j.export_id = $n
  and j.attempts = $n
  and j.state = 'running';
