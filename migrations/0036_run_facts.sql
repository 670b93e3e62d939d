-- What runs record about themselves, what members call them, and when they were last heard of.

create table run_facts (
  tenant_id uuid not null,
  run_id bigint not null,
  experiment_id text not null,
  recorded_at double precision,
  display_name text,
  job_type text,
  labels text[] not null default '{}',
  command text,
  git_commit text,
  git_dirty boolean,
  git_branch text,
  git_remote text,
  folder text,
  person text,
  host text,
  heartbeat_seconds integer,
  status text,
  status_time double precision,
  constraint run_facts_pkey primary key (tenant_id, run_id),
  constraint run_facts_run_fkey foreign key (tenant_id, run_id) references run (tenant_id, run_id) on delete cascade,
  constraint run_facts_status_check check (status in ('running', 'success', 'failure'))
);
comment on table run_facts is
  'What a run recorded about itself, in log messages of its event files. The facts are those of its first start, the status is the last one.';
comment on column run_facts.recorded_at is 'Wall time of the record that the facts are from, in seconds since the epoch. Null: only a status is known.';
comment on column run_facts.display_name is 'Another name for people. A name that a member set takes precedence.';
comment on column run_facts.labels is 'Labels that the run started with; they count until a member changes the labels of the run.';
comment on column run_facts.git_dirty is 'Tracked files had uncommitted changes.';
comment on column run_facts.folder is 'Working folder of the process.';
comment on column run_facts.person is 'User name on the machine that trains.';
comment on column run_facts.heartbeat_seconds is 'The run logs something at least this often while it lives. Null: it does not say so.';
comment on column run_facts.status_time is 'Wall time of the record that the status is from, in seconds since the epoch.';
alter table run_facts enable row level security;
create policy run_facts_tenant on run_facts using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
grant select, insert, update, delete on run_facts to plotline_app;
grant select, insert, update on run_facts to plotline_ingest;

alter table run_state add column ingested_at timestamptz;
comment on column run_state.ingested_at is 'When events of the run were last ingested. Null: before this column existed, or the run is a copy.';

alter table run add column display_name text;
comment on column run.display_name is 'Another name for people, set by a member. Null: none is set.';
alter table run add column labels_set boolean not null default false;
comment on column run.labels_set is 'A member has set the labels, so those that the run recorded do not count.';
