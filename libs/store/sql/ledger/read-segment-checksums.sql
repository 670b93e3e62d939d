-- returns offset bigint, length integer, crc32c bigint
/* read-segment-checksums */
select
  "offset",
  length,
  crc32c
from
  segment
where
  tenant_id = $n
  and file_id = $n
  and epoch is not null
  and "offset" >= $n
  and "offset" < $n
  and "offset" + length <= $n
order by
  "offset"
limit
  $n;
