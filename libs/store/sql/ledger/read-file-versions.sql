-- returns file_id bigint, version integer, durable_offset bigint, crc32c bigint
/* read-file-versions */
select
  file_id,
  version,
  durable_offset,
  crc32c
from
  event_file
where
  tenant_id = $n
  and run_id = $n
  and name_hash = $n
order by
  version desc;
