/* set-rewritten */
update event_file
set
  original_key = $n,
  joined_bytes = $n,
  rewritten_bytes = $n,
  rewritten_crc32c = $n,
  received_crc32c = $n
where
  tenant_id = $n
  and file_id = $n;
