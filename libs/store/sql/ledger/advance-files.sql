/* advance-files */
update event_file f
set
  durable_offset = u.durable_offset,
  crc32c = u.crc32c,
  sha256 = null,
  completed_bytes = null,
  completed_at = null
from
  unnest($n::bigint[], $n::bigint[], $n::bigint[]) as u (file_id, durable_offset, crc32c)
where
  f.tenant_id = $n
  and f.file_id = u.file_id;

/* advance-files */
update event_file f
set
  durable_offset = u.durable_offset,
  crc32c = u.crc32c,
  sha256 = null,
  completed_bytes = u.durable_offset,
  completed_at = now()
from
  unnest($n::bigint[], $n::bigint[], $n::bigint[]) as u (file_id, durable_offset, crc32c)
where
  f.tenant_id = $n
  and f.file_id = u.file_id;
