/* set-dropped */
update event_file
set
  original_key = null,
  joined_bytes = 0,
  dropped_bytes = $n,
  rewritten_bytes = 0,
  rewritten_crc32c = null,
  received_crc32c = $n
where
  tenant_id = $n
  and file_id = $n;
