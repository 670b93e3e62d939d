-- returns ?column? integer
/* remove-files-event-file */
select
  1
from
  event_file
where
  tenant_id = $n
  and file_id = any ($n::bigint[])
order by
  file_id
for update;

-- returns durable_offset bigint, dropped_bytes bigint, original_key text
/* remove-files-delete-event-file */
delete from event_file f
where
  f.tenant_id = $n
  and f.file_id = any ($n::bigint[])
  and not exists (
    select
      1
    from
      segment s
    where
      s.tenant_id = $n
      and s.file_id = f.file_id
  )
returning
  f.durable_offset,
  f.dropped_bytes,
  f.original_key;

/* remove-files-experiment-epoch */
update experiment_epoch
set
  acknowledged_bytes = acknowledged_bytes - $n,
  stored_bytes = stored_bytes - $n
where
  tenant_id = $n
  and experiment_id = $n;
