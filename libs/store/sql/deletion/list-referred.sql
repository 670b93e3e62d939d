-- returns object_key text, experiment_id text, bytes integer
/* list-referred-tensors */
select
  v.object_key,
  min(s.experiment_id) as experiment_id,
  max(v.bytes) as bytes
from
  tensor_value v
  join series s on s.tenant_id = $n
  and s.series_id = v.series_id
where
  v.tenant_id = $n
  and v.object_key is not null
  and v.object_key > $n
group by
  v.object_key
order by
  v.object_key
limit
  $n;

-- returns object_key text, file_id bigint, experiment_id text, joined_bytes bigint
/* list-referred-originals */
select
  original_key as object_key,
  file_id,
  experiment_id,
  joined_bytes
from
  event_file
where
  tenant_id = $n
  and original_key is not null
  and file_id > $n::bigint
order by
  file_id
limit
  $n;

-- returns object_key text, file_id bigint, experiment_id text, offset bigint, length integer, crc32c bigint, encoding smallint
/* list-referred-segments */
select
  s.object_key,
  s.file_id,
  f.experiment_id,
  s."offset",
  s.length,
  s.crc32c,
  s.encoding
from
  segment s
  join event_file f on f.tenant_id = $n
  and f.file_id = s.file_id
where
  s.tenant_id = $n
  and s.object_key is not null
  and (s.file_id, s."offset") > ($n::bigint, $n::bigint)
order by
  s.file_id,
  s."offset"
limit
  $n;

-- returns series_id bigint, file_id bigint, ordinal bigint, experiment_id text, sizes bigint[], hashes text[]
/* list-referred-blobs */
select
  v.series_id,
  v.file_id,
  v.ordinal,
  s.experiment_id,
  v.blob_bytes as sizes,
  array(
    select
      encode(h, 'hex')
    from
      unnest(v.blob_sha256) with ordinality as u (h, n)
    order by
      n
  ) as hashes
from
  blob_sequence_value v
  join series s on s.tenant_id = $n
  and s.series_id = v.series_id
where
  v.tenant_id = $n
  and (v.series_id, v.file_id, v.ordinal) > ($n::bigint, $n::bigint, $n::bigint)
order by
  v.series_id,
  v.file_id,
  v.ordinal
limit
  $n;
