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
