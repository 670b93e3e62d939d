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

-- returns count bigint
/* count-unfinished-exports */
select
  count(*) as count
from
  export_job j
where
  j.tenant_id = $n
  and j.state in ('queued', 'running')
  and (
    j.expires_at is null
    or j.expires_at > now()
  );

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

-- returns export_id uuid, experiment_id text, format text, runs text[], tags text[], snapshot text, state text, requested_at timestamptz, finished_at timestamptz, expires_at timestamptz, attempts integer, points bigint, total_points bigint, files integer, bytes bigint, total_bytes bigint, problem text
/* find-export-job */
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
  and j.export_id = $n
  and j.experiment_id = $n
  and (
    j.expires_at is null
    or j.expires_at > now()
  );

-- returns export_id uuid, experiment_id text, format text, runs text[], tags text[], snapshot text, state text, requested_at timestamptz, finished_at timestamptz, expires_at timestamptz, attempts integer, points bigint, total_points bigint, files integer, bytes bigint, total_bytes bigint, problem text
/* find-export-of-content */
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
  and j.content_key = $n
  and j.state <> 'failed'
  and (
    j.expires_at is null
    or j.expires_at > now()
  )
order by
  j.requested_at desc
limit
  1;

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

-- returns pg_advisory_xact_lock void
/* lock-exports */
select
  pg_advisory_xact_lock(hashtextextended ($n, 38));

-- returns snapshot text
/* read-referred-snapshots */
select distinct
  snapshot
from
  export_job
where
  tenant_id = $n
  and snapshot = any ($n::text[]);

/* expire-exports */
update export_job j
set
  expires_at = now()
where
  j.tenant_id = $n
  and j.experiment_id = $n
  and (
    $n::uuid is null
    or j.export_id = $n
  )
  and (
    j.expires_at is null
    or j.expires_at > now()
  );

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

/* remove-expired-exports */
delete from export_job
where
  tenant_id = $n
  and export_id in (
    select
      export_id
    from
      export_job
    where
      tenant_id = $n
      and expires_at <= now()
    order by
      expires_at
    limit
      $n
    for update
      skip locked
  );
