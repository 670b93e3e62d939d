-- The ledger: which bytes were acknowledged, and which of them still have to be read. The only truth about both.

create table event_file (
  tenant_id uuid not null,
  file_id bigint not null generated always as identity,
  experiment_id text not null,
  run_id bigint not null,
  name text not null,
  name_hash bytea not null,
  version integer not null,
  durable_offset bigint not null default 0,
  crc32c bigint not null default 0,
  completed_bytes bigint,
  sha256 bytea,
  original_key text,
  created_at timestamptz not null default now(),
  constraint event_file_pkey primary key (tenant_id, file_id),
  constraint event_file_name_key unique (tenant_id, run_id, name_hash, version),
  constraint event_file_run_fkey foreign key (tenant_id, run_id) references run (tenant_id, run_id) on delete cascade
) with (fillfactor = 70);
comment on table event_file is 'Written by the upload side only; what the worker knows of a file is in file_progress.';
comment on column event_file.durable_offset is 'End of the contiguous prefix of segments: a promise that nothing below it has to be sent again.';
comment on column event_file.crc32c is 'CRC-32C over the contiguous prefix, combined from the segments.';
comment on column event_file.completed_bytes is 'Set while the file is complete; a later PATCH reopens it.';
comment on column event_file.original_key is 'Object with the joined, compressed bytes of the first completed_bytes; its segments are gone then.';
create index event_file_experiment on event_file (tenant_id, experiment_id, file_id);
create index event_file_to_join on event_file (tenant_id, file_id) where completed_bytes is not null and original_key is null;

create table segment (
  tenant_id uuid not null,
  file_id bigint not null,
  "offset" bigint not null,
  length integer not null,
  crc32c bigint not null,
  epoch bigint,
  encoding smallint not null,
  body bytea storage external,
  object_key text,
  received_at timestamptz not null default now(),
  constraint segment_pkey primary key (tenant_id, file_id, "offset"),
  constraint segment_file_fkey foreign key (tenant_id, file_id) references event_file (tenant_id, file_id) on delete cascade,
  constraint segment_place_check check ((body is null) <> (object_key is null)),
  constraint segment_length_check check (length > 0)
);
comment on table segment is 'One durable byte range of one event file. Rows never change, but for the epoch of a range that arrived beyond the prefix.';
comment on column segment.crc32c is 'Over the decoded bytes.';
comment on column segment.epoch is 'The epoch that acknowledged it; null while it lies beyond the contiguous prefix.';
comment on column segment.encoding is 'Of body or object: 0 as they are, 1 zstd, 2 records without their checksums, packed by columns (libs/originals).';

create table pending_segment (
  tenant_id uuid not null,
  experiment_id text not null,
  run_id bigint not null,
  file_id bigint not null,
  "offset" bigint not null,
  length integer not null,
  epoch bigint not null,
  received_at timestamptz not null default now(),
  constraint pending_segment_pkey primary key (tenant_id, experiment_id, run_id, file_id, "offset")
);
comment on table pending_segment is 'Segments that are acknowledged and not yet settled by a worker. A row goes away in the transaction that stores what its bytes say. No foreign key: checking it would lock, and so log, the row of the segment that the same transaction has just inserted; what deletes segments looks here first.';

create table file_progress (
  tenant_id uuid not null,
  file_id bigint not null,
  run_id bigint not null,
  experiment_id text not null,
  parsed_offset bigint not null default 0,
  needs_offset bigint not null default 12,
  records bigint not null default 0,
  rejected_bytes bigint not null default 0,
  ended boolean not null default false,
  constraint file_progress_pkey primary key (tenant_id, file_id),
  constraint file_progress_file_fkey foreign key (tenant_id, file_id) references event_file (tenant_id, file_id) on delete cascade
) with (fillfactor = 70);
comment on column file_progress.parsed_offset is 'End of the last complete record: reading starts there again.';
comment on column file_progress.needs_offset is 'Reading makes no progress before the file is this long (end of the begun record).';
comment on column file_progress.rejected_bytes is 'Bytes that were settled without being stored: damaged, over a limit, or behind damage that ends the file.';
comment on column file_progress.ended is 'Damage ended the file: what lies behind it is settled unread.';

create table file_problem (
  tenant_id uuid not null,
  file_id bigint not null,
  "offset" bigint not null,
  problem_no integer not null,
  run_id bigint not null,
  experiment_id text not null,
  reason text not null,
  detail text not null,
  bytes bigint not null,
  ends_file boolean not null,
  constraint file_problem_pkey primary key (tenant_id, file_id, "offset", problem_no),
  constraint file_problem_file_fkey foreign key (tenant_id, file_id) references event_file (tenant_id, file_id) on delete cascade
);
comment on table file_problem is 'What was skipped in a file, and why. Reason quarantined: the record could not be stored after five tries.';
create index file_problem_experiment on file_problem (tenant_id, experiment_id, file_id, "offset");

create table session_start (
  tenant_id uuid not null,
  run_id bigint not null,
  file_id bigint not null,
  "offset" bigint not null,
  step bigint not null,
  wall_time double precision not null,
  constraint session_start_pkey primary key (tenant_id, run_id, file_id, "offset"),
  constraint session_start_file_fkey foreign key (tenant_id, file_id) references event_file (tenant_id, file_id) on delete cascade
);
comment on table session_start is 'SessionLog START events: each but the first of its run, in log order, supersedes what came before it with a step that is not smaller.';

alter table event_file enable row level security;
create policy event_file_tenant on event_file using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table segment enable row level security;
create policy segment_tenant on segment using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table pending_segment enable row level security;
create policy pending_segment_tenant on pending_segment using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table file_progress enable row level security;
create policy file_progress_tenant on file_progress using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table file_problem enable row level security;
create policy file_problem_tenant on file_problem using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table session_start enable row level security;
create policy session_start_tenant on session_start using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);

grant select, insert, update, delete on event_file, segment, pending_segment, file_progress, file_problem, session_start to plotline_app;
grant select, update on event_file to plotline_ingest;
grant select, delete on segment to plotline_ingest;
grant select, delete on pending_segment to plotline_ingest;
grant select, insert, update on file_progress to plotline_ingest;
grant select, insert on file_problem, session_start to plotline_ingest;
grant select on pending_segment, event_file to plotline_sweeper;
