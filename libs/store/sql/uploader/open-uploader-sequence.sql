-- returns sequence_id uuid, before integer
/* open-uploader-sequence */
insert into
  uploader_sequence as s (tenant_id, sequence_id, experiment_id, run_id, tag, tag_hash, step, wall_time, length, metadata)
values
  ($n, …)
on conflict (tenant_id, run_id, tag_hash, step) do update
set
  wall_time = excluded.wall_time,
  length = excluded.length,
  metadata = excluded.metadata,
  is_open = true
returning
  s.sequence_id,
  octet_length(old.metadata) as before;

/* open-uploader-sequence-uploader-blob */
delete from uploader_blob
where
  tenant_id = $n
  and sequence_id = $n
  and body is null;
