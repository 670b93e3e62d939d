-- returns object_key text
/* read-referred-objects-blob-sequence-value */
select distinct
  'blob/' || encode(h, 'hex') as object_key
from
  blob_sequence_value v,
  unnest(v.blob_sha256) as h
where
  v.tenant_id = $n
  and h = any ($n::bytea[]);

-- returns object_key text
/* read-referred-objects-event-file */
select
  original_key as object_key
from
  event_file
where
  tenant_id = $n
  and file_id = any ($n::bigint[]);

-- returns object_key text
/* read-referred-objects-segment */
select
  s.object_key
from
  segment s
  join unnest($n::bigint[], $n::bigint[]) as k (file_id, "offset") on s.tenant_id = $n
  and s.file_id = k.file_id
  and s."offset" = k."offset"
where
  s.object_key is not null;

-- returns object_key text
/* read-referred-objects-snapshot */
select
  k.object_key
from
  unnest($n::text[]) as k (object_key)
where
  exists (
    select
      1
    from
      export_job j
    where
      j.tenant_id = $n
      and j.snapshot = split_part(k.object_key, '/', 2)
  );

-- returns object_key text
/* read-referred-objects-tensor-value */
select distinct
  object_key
from
  tensor_value
where
  tenant_id = $n
  and object_key = any ($n::text[])
  and object_key is not null;
