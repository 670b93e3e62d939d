/* set-original */
update event_file
set
  original_key = $n,
  joined_bytes = $n,
  sha256 = coalesce($n, sha256)
where
  tenant_id = $n
  and file_id = $n;
