-- returns asked bigint, finished bigint, points numeric
/* read-deletion-progress */
select
  count(*) as asked,
  count(d.finished_at) as finished,
  coalesce(sum(d.points), 0) as points
from
  deletion d
where
  d.tenant_id = $n
  and d.experiment_id = $n;

-- returns deletion_id uuid, kind text, experiment_id text, run_ids bigint[], tag_hashes bytea[], from_step bigint, to_step bigint, through_epoch bigint, requested_by uuid, requested_at timestamptz, started_at timestamptz, finished_at timestamptz, runs bigint, files bigint, series bigint, points bigint, objects bigint, bytes bigint, rewritten_files bigint, rewritten_bytes bigint, objects_left bigint
/* read-deletions */
select
  d.deletion_id,
  d.kind,
  d.experiment_id,
  d.run_ids,
  d.tag_hashes,
  d.from_step,
  d.to_step,
  d.through_epoch,
  d.requested_by,
  d.requested_at,
  d.started_at,
  d.finished_at,
  d.runs,
  d.files,
  d.series,
  d.points,
  d.objects,
  d.bytes,
  d.rewritten_files,
  d.rewritten_bytes,
  (
    select
      count(*)
    from
      object_to_delete o
    where
      o.tenant_id = $n
      and o.deletion_id = d.deletion_id
  ) as objects_left
from
  deletion d
where
  d.tenant_id = $n
  and d.deletion_id = $n
order by
  d.requested_at desc,
  d.deletion_id
limit
  $n;

-- returns deletion_id uuid, kind text, experiment_id text, run_ids bigint[], tag_hashes bytea[], from_step bigint, to_step bigint, through_epoch bigint, requested_by uuid, requested_at timestamptz, started_at timestamptz, finished_at timestamptz, runs bigint, files bigint, series bigint, points bigint, objects bigint, bytes bigint, rewritten_files bigint, rewritten_bytes bigint, objects_left bigint
/* read-deletions */
select
  d.deletion_id,
  d.kind,
  d.experiment_id,
  d.run_ids,
  d.tag_hashes,
  d.from_step,
  d.to_step,
  d.through_epoch,
  d.requested_by,
  d.requested_at,
  d.started_at,
  d.finished_at,
  d.runs,
  d.files,
  d.series,
  d.points,
  d.objects,
  d.bytes,
  d.rewritten_files,
  d.rewritten_bytes,
  (
    select
      count(*)
    from
      object_to_delete o
    where
      o.tenant_id = $n
      and o.deletion_id = d.deletion_id
  ) as objects_left
from
  deletion d
where
  d.tenant_id = $n
  and d.experiment_id = $n
order by
  d.requested_at desc,
  d.deletion_id
limit
  $n;
