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
