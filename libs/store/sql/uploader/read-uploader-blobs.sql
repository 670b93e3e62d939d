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
