-- Exports that the service writes: what was asked for, how far each is, and where its result is.

create table export_job (
  tenant_id uuid not null,
  export_id uuid not null,
  experiment_id text not null,
  format text not null,
  runs text[],
  tags text[],
  content_key bytea not null,
  snapshot text,
  state text not null default 'queued',
  requested_at timestamptz not null default now(),
  finished_at timestamptz,
  expires_at timestamptz,
  worker_until timestamptz not null default now(),
  attempts integer not null default 0,
  points bigint not null default 0,
  total_points bigint not null default 0,
  files integer not null default 0,
  bytes bigint not null default 0,
  problem text,
  constraint export_job_pkey primary key (tenant_id, export_id),
  constraint export_job_experiment_fkey foreign key (tenant_id, experiment_id) references experiment (tenant_id, experiment_id) on delete cascade,
  constraint export_job_state_check check (state in ('queued', 'running', 'finished', 'failed'))
);
comment on table export_job is
  'An export that the service writes, and its result until it expires. The row is the job: a process that dies leaves it, and another one claims it.';
comment on column export_job.runs is 'Only these runs, by name. Null: all. Deleting any data of the experiment expires the row.';
comment on column export_job.tags is 'Only these tags. Null: all.';
comment on column export_job.content_key is 'SHA-256 of what determined the content when the export was requested: a later request for the same gets this row.';
comment on column export_job.snapshot is 'Fingerprint of the snapshot in the object store that the result is in, or is written to. Null: no worker has started.';
comment on column export_job.expires_at is 'From then on the export is gone, and the sweeper removes the row and the result. Null: it has not finished.';
comment on column export_job.worker_until is 'A worker has it until then.';
comment on column export_job.attempts is 'How often a worker claimed it.';
comment on column export_job.total_points is 'Points that the export will have.';
comment on column export_job.bytes is 'Of the files, once finished.';
comment on column export_job.problem is 'Why it failed: a problem code.';
alter table export_job enable row level security;
create policy export_job_tenant on export_job using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
grant select, insert, update, delete on export_job to plotline_app;
grant select, insert, update, delete on export_job to plotline_ingest;
grant select on export_job to plotline_sweeper;
create index export_job_content on export_job (tenant_id, experiment_id, content_key);
create index export_job_unfinished on export_job (tenant_id, export_id) where state in ('queued', 'running');
create index export_job_expiry on export_job (tenant_id, expires_at) where expires_at is not null;
