/* write-run-facts */
insert into
  run_facts as f (
    tenant_id,
    run_id,
    experiment_id,
    "recorded_at",
    "display_name",
    "job_type",
    "labels",
    "command",
    "git_commit",
    "git_dirty",
    "git_branch",
    "git_remote",
    "folder",
    "person",
    "host",
    "heartbeat_seconds"
  )
values
  ($n, …)
on conflict (tenant_id, run_id) do update
set
  "recorded_at" = excluded."recorded_at",
  "display_name" = excluded."display_name",
  "job_type" = excluded."job_type",
  "labels" = excluded."labels",
  "command" = excluded."command",
  "git_commit" = excluded."git_commit",
  "git_dirty" = excluded."git_dirty",
  "git_branch" = excluded."git_branch",
  "git_remote" = excluded."git_remote",
  "folder" = excluded."folder",
  "person" = excluded."person",
  "host" = excluded."host",
  "heartbeat_seconds" = excluded."heartbeat_seconds"
where
  f.recorded_at is null
  or excluded.recorded_at < f.recorded_at;

/* write-run-facts-run-facts */
insert into
  run_facts as f (tenant_id, run_id, experiment_id, status, status_time)
values
  ($n, …)
on conflict (tenant_id, run_id) do update
set
  status = excluded.status,
  status_time = excluded.status_time
where
  f.status_time is null
  or excluded.status_time >= f.status_time;
