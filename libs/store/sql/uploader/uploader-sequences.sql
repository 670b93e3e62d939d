-- returns bytes bigint, digest text
/* read-held-blobs */
select
  coalesce(sum(size), 0) as bytes,
  coalesce(
    md5(
      string_agg(
        concat_ws(' ', index, size, crc32c),
        ','
        order by
          index
      )
    ),
    ''
  ) as digest
from
  uploader_blob
where
  tenant_id = $n
  and sequence_id = $n
  and body is not null;

-- returns index integer, body bytea
/* read-uploader-bodies */
select
  index,
  body
from
  uploader_blob
where
  tenant_id = $n
  and sequence_id = $n
  and body is not null;

-- returns index integer, size integer, crc32c bigint, held boolean
/* read-uploader-blob */
select
  index,
  size,
  crc32c,
  body is not null as held
from
  uploader_blob
where
  tenant_id = $n
  and sequence_id = $n
  and index = $n;

-- returns sequence_id uuid, before integer
/* open-uploader-sequence */
insert into
  uploader_sequence as s (tenant_id, sequence_id, experiment_id, run_id, tag, tag_hash, step, wall_time, length, metadata)
values
  ($n, …)
on conflict (tenant_id, run_id, tag_hash, step) do update
set
  wall_time = excluded.wall_time,
  length = excluded.length,
  metadata = excluded.metadata,
  is_open = true
returning
  s.sequence_id,
  octet_length(old.metadata) as before;

-- returns sequence_id uuid, experiment_id text, run_id bigint, run text, tag bytea, step bigint, wall_time float8, length integer, metadata bytea, is_open boolean
/* list-open-uploader-sequences */
select
  s.sequence_id,
  s.experiment_id,
  s.run_id,
  r.name as run,
  s.tag,
  s.step,
  s.wall_time,
  s.length,
  s.metadata,
  s.is_open
from
  uploader_sequence s
  join run r on r.tenant_id = s.tenant_id
  and r.run_id = s.run_id
where
  s.tenant_id = $n
  and s.run_id = $n
  and s.tag_hash = $n
  and s.sequence_id <> $n
  and s.is_open
  and exists (
    select
      1
    from
      uploader_blob b
    where
      b.tenant_id = $n
      and b.sequence_id = s.sequence_id
  )
order by
  s.step
for update of
  s;

-- returns sequence_id uuid, experiment_id text, run_id bigint, run text, tag bytea, step bigint, wall_time float8, length integer, metadata bytea, is_open boolean
/* read-uploader-sequence */
select
  s.sequence_id,
  s.experiment_id,
  s.run_id,
  r.name as run,
  s.tag,
  s.step,
  s.wall_time,
  s.length,
  s.metadata,
  s.is_open
from
  uploader_sequence s
  join run r on r.tenant_id = s.tenant_id
  and r.run_id = s.run_id
where
  s.tenant_id = $n
  and s.sequence_id = $n;

-- returns sequence_id uuid, experiment_id text, run_id bigint, run text, tag bytea, step bigint, wall_time float8, length integer, metadata bytea, is_open boolean
/* read-uploader-sequence */
select
  s.sequence_id,
  s.experiment_id,
  s.run_id,
  r.name as run,
  s.tag,
  s.step,
  s.wall_time,
  s.length,
  s.metadata,
  s.is_open
from
  uploader_sequence s
  join run r on r.tenant_id = s.tenant_id
  and r.run_id = s.run_id
where
  s.tenant_id = $n
  and s.sequence_id = $n
for update of
  s;

-- returns tag integer, metadata integer, blobs bigint
/* lock-uploader-sequences */
select
  octet_length(s.tag) as tag,
  octet_length(s.metadata) as metadata,
  (
    select
      coalesce(sum(b.size), 0)
    from
      uploader_blob b
    where
      b.tenant_id = $n
      and b.sequence_id = s.sequence_id
      and b.body is not null
  ) as blobs
from
  uploader_sequence s
where
  s.tenant_id = $n
  and s.run_id = $n
order by
  s.sequence_id
for update of
  s;

/* close-uploader-sequence */
with
  closed as (
    update uploader_sequence
    set
      is_open = false
    where
      tenant_id = $n
      and sequence_id = $n
  )
update uploader_blob
set
  body = null
where
  tenant_id = $n
  and sequence_id = $n;

/* open-uploader-sequence-uploader-blob */
delete from uploader_blob
where
  tenant_id = $n
  and sequence_id = $n
  and body is null;

/* put-uploader-blob */
insert into
  uploader_blob (tenant_id, sequence_id, index, size, crc32c, body)
values
  ($n, …)
on conflict (tenant_id, sequence_id, index) do update
set
  size = excluded.size,
  crc32c = excluded.crc32c,
  body = excluded.body;
