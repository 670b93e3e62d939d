-- Experiments and the runs in them.

create table experiment_route (
  experiment_id text not null,
  tenant_id uuid not null,
  constraint experiment_route_pkey primary key (experiment_id)
);
comment on table experiment_route is 'Global: experiment to tenant, written once at creation, so that an id alone finds its shard.';

create table experiment (
  tenant_id uuid not null,
  experiment_id text not null,
  name text not null,
  description text not null,
  owner_id uuid not null,
  visibility text not null default 'private',
  labels text[] not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint experiment_pkey primary key (tenant_id, experiment_id),
  constraint experiment_workspace_fkey foreign key (tenant_id) references workspace (tenant_id) on delete cascade,
  constraint experiment_owner_fkey foreign key (owner_id) references person (person_id),
  constraint experiment_visibility_check check (visibility in ('private', 'public'))
);
comment on column experiment.experiment_id is '22 random characters of [A-Za-z0-9], unique everywhere.';
comment on column experiment.deleted_at is 'Tombstone: from then on nobody sees the experiment and nothing can be added to it.';
create index experiment_created on experiment (tenant_id, created_at desc, experiment_id);

create table experiment_epoch (
  tenant_id uuid not null,
  experiment_id text not null,
  acknowledged_epoch bigint not null default 0,
  acknowledged_bytes bigint not null default 0,
  constraint experiment_epoch_pkey primary key (tenant_id, experiment_id),
  constraint experiment_epoch_experiment_fkey foreign key (tenant_id, experiment_id) references experiment (tenant_id, experiment_id) on delete cascade
) with (fillfactor = 70);
comment on table experiment_epoch is 'The counter of committed batches of acknowledgements. Only acknowledging locks its row; workers and statistics have rows of their own.';

create table run (
  tenant_id uuid not null,
  run_id bigint not null generated always as identity,
  experiment_id text not null,
  name text not null,
  name_hash bytea not null,
  created_at timestamptz not null default now(),
  constraint run_pkey primary key (tenant_id, run_id),
  constraint run_name_key unique (tenant_id, experiment_id, name_hash),
  constraint run_experiment_fkey foreign key (tenant_id, experiment_id) references experiment (tenant_id, experiment_id) on delete cascade
);
comment on column run.name is 'Path below the log directory, always with /; . is the log directory itself. Text, never a path on the server.';
comment on column run.name_hash is 'SHA-256 of the UTF-8 bytes of the name: index rows are bounded, whatever the name.';

create table run_state (
  tenant_id uuid not null,
  run_id bigint not null,
  experiment_id text not null,
  events bigint not null default 0,
  start_time double precision,
  last_time double precision,
  status text not null default 'unknown',
  group_name text,
  hparams jsonb,
  constraint run_state_pkey primary key (tenant_id, run_id),
  constraint run_state_run_fkey foreign key (tenant_id, run_id) references run (tenant_id, run_id) on delete cascade
) with (fillfactor = 70);
comment on table run_state is 'What the worker has found in the run so far. A run is listed once it has a readable event.';
comment on column run_state.start_time is 'Smallest wall time that is a positive number, in seconds since the epoch.';

create table run_work (
  tenant_id uuid not null,
  run_id bigint not null,
  experiment_id text not null,
  failures integer not null default 0,
  retry_at timestamptz not null default now(),
  batch_bytes bigint,
  last_error text,
  constraint run_work_pkey primary key (tenant_id, run_id),
  constraint run_work_run_fkey foreign key (tenant_id, run_id) references run (tenant_id, run_id) on delete cascade
);
comment on table run_work is 'One row a run. A worker holds its lock for the length of an ingest transaction: one worker per run at a time.';
comment on column run_work.batch_bytes is 'After repeated failures: the bound of the next batch, halved until the one record that fails is found. Null: the normal bound.';

alter table experiment enable row level security;
create policy experiment_tenant on experiment using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table experiment_epoch enable row level security;
create policy experiment_epoch_tenant on experiment_epoch using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table run enable row level security;
create policy run_tenant on run using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table run_state enable row level security;
create policy run_state_tenant on run_state using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table run_work enable row level security;
create policy run_work_tenant on run_work using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);

grant select, insert, update, delete on experiment_route, experiment, experiment_epoch, run, run_state, run_work to plotline_app;
grant select on experiment to plotline_ingest;
grant select on run to plotline_ingest;
grant select, update on run_work to plotline_ingest;
grant select, insert, update on run_state to plotline_ingest;
grant select on run_work to plotline_sweeper;
