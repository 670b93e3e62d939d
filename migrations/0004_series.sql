-- Series and their points: scalars in chunks and tails, tensors and blob sequences as rows.

create table series (
  tenant_id uuid not null,
  series_id bigint not null generated always as identity,
  experiment_id text not null,
  run_id bigint not null,
  tag text not null,
  tag_hash bytea not null,
  twin boolean not null,
  data_class text not null,
  listed boolean not null,
  plugin text not null,
  plugin_content bytea not null,
  display_name text not null,
  description text not null,
  constraint series_pkey primary key (tenant_id, series_id),
  constraint series_tag_key unique (tenant_id, run_id, tag_hash, twin),
  constraint series_run_fkey foreign key (tenant_id, run_id) references run (tenant_id, run_id) on delete cascade,
  constraint series_data_class_check check (data_class in ('scalar', 'tensor', 'blob_sequence'))
);
comment on table series is 'A series is (run, tag); its first metadata wins. A twin keeps values that are not of the class of the series, as raw tensors.';
comment on column series.tag_hash is 'SHA-256 of the UTF-8 bytes of the tag.';
create index series_experiment on series (tenant_id, experiment_id, run_id);

create table series_stats (
  tenant_id uuid not null,
  series_id bigint not null,
  points bigint not null,
  superseded_points bigint not null,
  invalid_points bigint not null,
  mismatched_points bigint not null,
  rounded_points bigint not null,
  first_step bigint,
  last_step bigint,
  last_wall_time double precision,
  min_value double precision,
  max_value double precision,
  last_value double precision,
  nan_count bigint not null,
  max_length bigint,
  constraint series_stats_pkey primary key (tenant_id, series_id),
  constraint series_stats_series_fkey foreign key (tenant_id, series_id) references series (tenant_id, series_id) on delete cascade
) with (fillfactor = 70);
comment on table series_stats is 'Counts of all points and summary of the effective ones, without those that are still in the tail of the run.';
comment on column series_stats.points is 'Effective points.';
comment on column series_stats.max_length is 'Blob sequences: the most blobs in one point.';

create table scalar_chunk (
  tenant_id uuid not null,
  series_id bigint not null,
  file_id bigint not null,
  first_ordinal bigint not null,
  superseded boolean not null,
  after_offset bigint not null,
  count integer not null,
  nan_count integer not null,
  first_step bigint not null,
  last_step bigint not null,
  stride bigint,
  min_step bigint,
  max_step bigint,
  first_wall double precision not null,
  last_wall double precision not null,
  min_wall double precision not null,
  max_wall double precision not null,
  first_value double precision not null,
  last_value double precision not null,
  min_value double precision,
  max_value double precision,
  c64_first_step bigint[] storage main,
  c64_last_step bigint[] storage main,
  c64_min_step bigint[] storage main,
  c64_max_step bigint[] storage main,
  c64_min_at smallint[] storage main,
  c64_max_at smallint[] storage main,
  c64_wall double precision[] storage main,
  c64_first real[] storage main,
  c64_last real[] storage main,
  c64_min real[] storage main,
  c64_max real[] storage main,
  c64_first8 double precision[] storage main,
  c64_last8 double precision[] storage main,
  c64_min8 double precision[] storage main,
  c64_max8 double precision[] storage main,
  c512_first_step bigint[] storage main,
  c512_last_step bigint[] storage main,
  c512_min_step bigint[] storage main,
  c512_max_step bigint[] storage main,
  c512_min_at smallint[] storage main,
  c512_max_at smallint[] storage main,
  c512_wall double precision[] storage main,
  c512_first real[] storage main,
  c512_last real[] storage main,
  c512_min real[] storage main,
  c512_max real[] storage main,
  c512_first8 double precision[] storage main,
  c512_last8 double precision[] storage main,
  c512_min8 double precision[] storage main,
  c512_max8 double precision[] storage main,
  body bytea storage external not null,
  constraint scalar_chunk_pkey primary key (tenant_id, series_id, file_id, first_ordinal),
  constraint scalar_chunk_series_fkey foreign key (tenant_id, series_id) references series (tenant_id, series_id) on delete cascade,
  constraint scalar_chunk_count_check check (count between 1 and 4096)
) with (toast_tuple_target = 8160);
comment on table scalar_chunk is 'At most 4096 points of one series from one file. Effective chunks of a series never overlap and their steps strictly rise; superseded ones hold points in log order.';
comment on column scalar_chunk.after_offset is 'Offset of the last SessionLog START in the file before these points, or 0: places the chunk in log order among STARTs.';
comment on column scalar_chunk.stride is 'The constant difference of the steps; null where it is not constant.';
comment on column scalar_chunk.min_value is 'Skips NaN and includes infinities; null when every value is NaN.';
comment on column scalar_chunk.c64_first_step is 'Cells of 64 points, one array element a cell; null where the stride is constant (then first_step + stride * 64 * i).';
comment on column scalar_chunk.c64_min_at is 'Place of the smallest value in its cell, 0 to 63; only where the stride is constant, else c64_min_step.';
comment on column scalar_chunk.c64_first is 'real[] where all four value columns are exactly float32; else null, and the columns ending in 8 are set.';
comment on column scalar_chunk.body is 'The points, encoded by libs/chunks; the first byte is the version of the codec.';
create index scalar_chunk_effective on scalar_chunk (tenant_id, series_id, first_step) where not superseded;

create table run_tail (
  tenant_id uuid not null,
  run_id bigint not null,
  tail_no bigint not null,
  level smallint not null,
  points integer not null,
  created_at timestamptz not null default now(),
  body bytea storage external not null,
  constraint run_tail_pkey primary key (tenant_id, run_id, tail_no),
  constraint run_tail_run_fkey foreign key (tenant_id, run_id) references run (tenant_id, run_id) on delete cascade
);
comment on column run_tail.level is '0: one commit; rows of a level are merged into one of the next when there are many, so that readers find few.';
comment on table run_tail is 'New points of all series of a live run, one row a commit, until they are cut into chunks.';

create table tensor_value (
  tenant_id uuid not null,
  series_id bigint not null,
  file_id bigint not null,
  ordinal bigint not null,
  record_offset bigint not null,
  step bigint not null,
  wall_time double precision not null,
  superseded boolean not null,
  dtype text not null,
  shape bigint[] not null,
  bytes integer not null,
  body bytea storage external,
  object_key text,
  constraint tensor_value_pkey primary key (tenant_id, series_id, file_id, ordinal),
  constraint tensor_value_series_fkey foreign key (tenant_id, series_id) references series (tenant_id, series_id) on delete cascade
);
comment on column tensor_value.body is 'Numbers packed little-endian in C order; strings each as uint32 big-endian length and bytes. Above 16 KiB in the blob store (object_key).';
create index tensor_value_step on tensor_value (tenant_id, series_id, step) where not superseded;

create table blob_sequence_value (
  tenant_id uuid not null,
  series_id bigint not null,
  file_id bigint not null,
  ordinal bigint not null,
  record_offset bigint not null,
  step bigint not null,
  wall_time double precision not null,
  superseded boolean not null,
  blob_sha256 bytea[] not null,
  blob_bytes bigint[] not null,
  constraint blob_sequence_value_pkey primary key (tenant_id, series_id, file_id, ordinal),
  constraint blob_sequence_value_series_fkey foreign key (tenant_id, series_id) references series (tenant_id, series_id) on delete cascade
);
comment on column blob_sequence_value.blob_sha256 is 'One element a blob, in order; the object is found by tenant and hash. A null element is a hole.';
create index blob_sequence_value_step on blob_sequence_value (tenant_id, series_id, step) where not superseded;

alter table series enable row level security;
create policy series_tenant on series using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table series_stats enable row level security;
create policy series_stats_tenant on series_stats using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table scalar_chunk enable row level security;
create policy scalar_chunk_tenant on scalar_chunk using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table run_tail enable row level security;
create policy run_tail_tenant on run_tail using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table tensor_value enable row level security;
create policy tensor_value_tenant on tensor_value using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table blob_sequence_value enable row level security;
create policy blob_sequence_value_tenant on blob_sequence_value using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);

grant select, insert, update, delete on series, series_stats, scalar_chunk, run_tail, tensor_value, blob_sequence_value to plotline_app;
grant select, insert, update on series, series_stats, tensor_value, blob_sequence_value to plotline_ingest;
-- Superseding splits chunks and cutting empties tails, so these two are also deleted from.
grant select, insert, update, delete on scalar_chunk, run_tail to plotline_ingest;
-- Tails that wait too long are offered to a worker as pending segments are.
grant select on run_tail to plotline_sweeper;
