/* put-uploader-blob */
insert into
  uploader_blob (tenant_id, sequence_id, index, size, crc32c, body)
values
  ($n, …)
on conflict (tenant_id, sequence_id, index) do update
set
  size = excluded.size,
  crc32c = excluded.crc32c,
  body = excluded.body;
