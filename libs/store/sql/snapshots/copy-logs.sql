-- returns ?column? integer
/* copy-log-index */
insert into
  log_index (tenant_id, file_id, "offset", lines, run_id, experiment_id)
select
  $n::uuid,
  n.file_id,
  i."offset",
  i.lines,
  n.run_id,
  $n::text
from
  log_index i
  join event_file o on o.tenant_id = $n
  and o.file_id = i.file_id
  join run s on s.tenant_id = $n
  and s.run_id = i.run_id
  join run c on c.tenant_id = $n
  and c.experiment_id = $n
  and c.name_hash = s.name_hash
  join event_file n on n.tenant_id = $n
  and n.run_id = c.run_id
  and n.name_hash = o.name_hash
  and n.version = o.version
  join file_progress p on p.tenant_id = $n
  and p.file_id = n.file_id
where
  i.tenant_id = $n
  and i.experiment_id = $n
  and i."offset" <= p.parsed_offset
returning
  1;

-- returns file_id bigint, source_file_id bigint, bytes bigint
/* list-copied-logs */
select
  n.file_id,
  o.file_id as source_file_id,
  n.durable_offset as bytes
from
  log_index i
  join event_file n on n.tenant_id = $n
  and n.file_id = i.file_id
  join run c on c.tenant_id = $n
  and c.run_id = n.run_id
  join run s on s.tenant_id = $n
  and s.experiment_id = $n
  and s.name_hash = c.name_hash
  join event_file o on o.tenant_id = $n
  and o.run_id = s.run_id
  and o.name_hash = n.name_hash
  and o.version = n.version
where
  i.tenant_id = $n
  and i.experiment_id = $n
  and i."offset" = 0
  and o.dropped_bytes = 0;

/* keep-copied-file */
update event_file
set
  dropped_bytes = 0
where
  tenant_id = $n
  and file_id = $n;
