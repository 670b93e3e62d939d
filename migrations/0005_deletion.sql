-- Deletion: what was asked for, how far it is, and which objects still have to go. Retention of originals.

alter table workspace add column deleted_at timestamptz;
alter table workspace add column originals_days integer;
alter table workspace add constraint workspace_originals_days_check check (originals_days > 0);
comment on column workspace.deleted_at is 'Tombstone: nobody comes in any more, and nothing can be added. The row goes last.';
comment on column workspace.originals_days is 'Originals of complete files are removed this many days after the file was completed. Null: never.';

alter table run add column deleted_at timestamptz;
comment on column run.deleted_at is 'Tombstone: from then on nobody sees the run and nothing can be added to it.';

alter table run_work add column held_by uuid;
comment on column run_work.held_by is 'A deletion that works on the points of the run; nothing is ingested meanwhile.';

alter table event_file add column completed_at timestamptz;
alter table event_file add column joined_bytes bigint not null default 0;
alter table event_file add column dropped_bytes bigint not null default 0;
comment on column event_file.joined_bytes is 'Segments begin here: what lies before is in the joined object.';
comment on column event_file.dropped_bytes is 'The first bytes of the file that are not kept any more, by a deletion or by the retention of the workspace. What they said was read before.';
update event_file set joined_bytes = split_part(original_key, '-', 2)::bigint where original_key is not null;
update event_file set completed_at = now() where completed_bytes is not null;
drop index event_file_to_join;
create index event_file_to_join on event_file (tenant_id, file_id) where completed_bytes > joined_bytes and dropped_bytes = 0;

create index tensor_value_object on tensor_value (tenant_id, object_key) where object_key is not null;

create table deletion (
  tenant_id uuid not null,
  deletion_id uuid not null,
  kind text not null,
  experiment_id text,
  run_ids bigint[],
  tag_hashes bytea[],
  from_step bigint,
  to_step bigint,
  through_epoch bigint,
  requested_by uuid,
  requested_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  worker_until timestamptz not null default now(),
  last_error text,
  runs bigint not null default 0,
  files bigint not null default 0,
  series bigint not null default 0,
  points bigint not null default 0,
  objects bigint not null default 0,
  bytes bigint not null default 0,
  constraint deletion_pkey primary key (tenant_id, deletion_id),
  constraint deletion_kind_check check (kind in ('workspace', 'experiment', 'runs', 'points', 'originals'))
);
comment on table deletion is 'What was asked to be deleted, and what became of it. Stays as a record, so it has ids and hashes only and no name; it has no foreign key, because what it names goes away.';
comment on column deletion.run_ids is 'Runs that still have to be worked on. Null: all of the experiment.';
comment on column deletion.tag_hashes is 'SHA-256 of the tags whose points go. Null: of all tags.';
comment on column deletion.through_epoch is 'Points: what was acknowledged up to this epoch is deleted; so workers read it first.';
comment on column deletion.requested_by is 'Null: the service itself, by the retention of the workspace, or a person who was deleted.';
comment on column deletion.worker_until is 'A worker has it until then. Only saves double work: every step may be done twice.';
comment on column deletion.points is 'Points removed, superseded ones included.';
comment on column deletion.bytes is 'Reclaimed so far: of objects, and of the bodies of rows.';
create index deletion_unfinished on deletion (tenant_id, deletion_id) where finished_at is null;
create index deletion_experiment on deletion (tenant_id, experiment_id, requested_at);

create table deleted_run (
  tenant_id uuid not null,
  experiment_id text not null,
  name_hash bytea not null,
  deleted_at timestamptz not null default now(),
  constraint deleted_run_pkey primary key (tenant_id, experiment_id, name_hash),
  constraint deleted_run_experiment_fkey foreign key (tenant_id, experiment_id) references experiment (tenant_id, experiment_id) on delete cascade
);
comment on table deleted_run is 'Names of deleted runs, as hashes: an upload that still goes on must not bring them back.';

create table object_to_delete (
  tenant_id uuid not null,
  object_key text not null,
  deletion_id uuid not null,
  bytes bigint not null,
  constraint object_to_delete_pkey primary key (tenant_id, object_key)
);
comment on table object_to_delete is 'Objects whose rows are gone. Written in the transaction that removes the rows, so that no crash forgets an object.';
create index object_to_delete_deletion on object_to_delete (tenant_id, deletion_id);

create table maintenance_turn (
  name text not null,
  next_at timestamptz not null,
  constraint maintenance_turn_pkey primary key (name)
);
comment on table maintenance_turn is 'Global: work over the whole service that one process at a time does now and then, and when it is due again.';

alter table deletion enable row level security;
create policy deletion_tenant on deletion using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table deleted_run enable row level security;
create policy deleted_run_tenant on deleted_run using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table object_to_delete enable row level security;
create policy object_to_delete_tenant on object_to_delete using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);

grant select, insert, update, delete on deletion, deleted_run, object_to_delete, maintenance_turn to plotline_app;
-- Rewriting the chunks of a series without some of its points, and finding out whether an object is still referred to.
grant select, update on deletion to plotline_ingest;
grant select, insert, delete on object_to_delete to plotline_ingest;
grant delete on tensor_value, blob_sequence_value to plotline_ingest;
-- Which deletions and originals wait for a worker.
grant select on deletion to plotline_sweeper;
grant select on workspace to plotline_sweeper;
