-- What TensorBoard's own uploader sends: which requests were taken, and blobs on their way into the ledger.

create table uploader_request (
  tenant_id uuid not null,
  experiment_id text not null,
  request_hash bytea not null,
  received_at timestamptz not null default now(),
  constraint uploader_request_pkey primary key (tenant_id, experiment_id, request_hash),
  constraint uploader_request_experiment_fkey foreign key (tenant_id, experiment_id) references experiment (tenant_id, experiment_id) on delete cascade
);
comment on table uploader_request is 'Requests whose points are in the ledger, by the SHA-256 of what they say. A client that had no answer sends the same again, and it counts once.';

create table uploader_sequence (
  tenant_id uuid not null,
  sequence_id uuid not null,
  experiment_id text not null,
  run_id bigint not null,
  tag bytea not null,
  tag_hash bytea not null,
  step bigint not null,
  wall_time double precision not null,
  length integer not null,
  metadata bytea not null,
  is_open boolean not null default true,
  constraint uploader_sequence_pkey primary key (tenant_id, sequence_id),
  constraint uploader_sequence_place_key unique (tenant_id, run_id, tag_hash, step),
  constraint uploader_sequence_run_fkey foreign key (tenant_id, run_id) references run (tenant_id, run_id) on delete cascade,
  constraint uploader_sequence_length_check check (length >= 0)
);
comment on table uploader_sequence is 'One value of a series of blobs, which come one by one. When all are there they become one record of the ledger.';
comment on column uploader_sequence.tag is 'UTF-8. No text: a tag may have any character.';
comment on column uploader_sequence.metadata is 'The SummaryMetadata that came with it, as it came.';
comment on column uploader_sequence.is_open is 'Blobs are awaited. False: they are in the ledger, and their bodies are gone here.';

create table uploader_blob (
  tenant_id uuid not null,
  sequence_id uuid not null,
  index integer not null,
  size integer not null,
  crc32c bigint not null,
  body bytea storage external,
  constraint uploader_blob_pkey primary key (tenant_id, sequence_id, index),
  constraint uploader_blob_sequence_fkey foreign key (tenant_id, sequence_id) references uploader_sequence (tenant_id, sequence_id) on delete cascade
);
comment on table uploader_blob is 'A whole blob of a sequence; a blob that the client left out has no row.';
comment on column uploader_blob.body is 'Null once the sequence is in the ledger.';

alter table uploader_request enable row level security;
create policy uploader_request_tenant on uploader_request using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table uploader_sequence enable row level security;
create policy uploader_sequence_tenant on uploader_sequence using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table uploader_blob enable row level security;
create policy uploader_blob_tenant on uploader_blob using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);

grant select, insert, update, delete on uploader_request, uploader_sequence, uploader_blob to plotline_app;
