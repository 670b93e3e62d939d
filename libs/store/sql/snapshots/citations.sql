-- returns ?column? integer
/* finish-citation */
update citation c
set
  digest = decode($n, 'hex'),
  series = $n,
  scalars = $n,
  tensors = $n,
  blob_sequences = $n,
  digested_at = now()
where
  c.tenant_id = $n
  and c.experiment_id = $n
  and c.attempts = $n
  and c.digest is null
returning
  1;

-- returns ?column? integer
/* renew-citation */
update citation c
set
  worker_until = now() + make_interval(secs => $n)
where
  c.tenant_id = $n
  and c.experiment_id = $n
  and c.attempts = $n
  and c.digest is null
returning
  1;

-- returns attempts integer
/* claim-citation */
update citation c
set
  worker_until = now() + make_interval(secs => $n),
  attempts = c.attempts + 1
where
  c.tenant_id = $n
  and c.experiment_id = $n
  and c.digest is null
  and c.worker_until <= now()
returning
  c.attempts;

-- returns snapshots bigint, citable bigint
/* count-snapshots-of */
select
  count(*) as snapshots,
  count(c.experiment_id) as citable
from
  experiment e
  left join citation c on c.tenant_id = $n
  and c.experiment_id = e.experiment_id
where
  e.tenant_id = $n
  and e.snapshot_of = $n
  and e.deleted_at is null;

-- returns title text, authors text[], license text, published text, snapshot_of text, snapshot_epoch bigint, created_at timestamptz, digest text, series bigint, scalars bigint, tensors bigint, blob_sequences bigint
/* find-citation */
select
  c.title,
  c.authors,
  c.license,
  to_char(c.published_on, 'YYYY-MM-DD') as published,
  e.snapshot_of,
  e.snapshot_epoch,
  c.created_at,
  encode(c.digest, 'hex') as digest,
  c.series,
  c.scalars,
  c.tensors,
  c.blob_sequences
from
  citation c
  join experiment e on e.tenant_id = $n
  and e.experiment_id = c.experiment_id
where
  c.tenant_id = $n
  and c.experiment_id = $n
  and e.deleted_at is null
  and e.snapshot_of is not null;

/* insert-citation */
insert into
  citation (tenant_id, experiment_id, title, authors, license, published_on)
values
  ($n, …::text[], $n, coalesce($n::date, (now() at time zone 'UTC')::date));
