-- returns offset bigint, length integer, crc32c bigint, encoding smallint, body bytea, object_key text
/* prepared: read-segments */
select
  "offset",
  length,
  crc32c,
  encoding,
  body,
  object_key
from
  segment
where
  tenant_id = $n
  and file_id = $n
  and epoch is not null
  and "offset" < $n
  and "offset" + length > $n
  and "offset" >= coalesce(
    (
      select
        max(s."offset")
      from
        segment s
      where
        s.tenant_id = $n
        and s.file_id = $n
        and s.epoch is not null
        and s."offset" <= $n
    ),
    0
  )
order by
  "offset"
limit
  $n;
