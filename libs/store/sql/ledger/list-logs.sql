-- returns file_id bigint, run text, name text, version integer, parsed_offset bigint, records bigint, needs_offset bigint, complete boolean, dropped_bytes bigint
/* list-logs */
select
  f.file_id,
  r.name as run,
  f.name,
  f.version,
  p.parsed_offset,
  p.records,
  p.needs_offset,
  coalesce(f.completed_bytes = p.parsed_offset, false) as complete,
  f.dropped_bytes
from
  log_index i
  join event_file f on f.tenant_id = $n
  and f.file_id = i.file_id
  join file_progress p on p.tenant_id = $n
  and p.file_id = i.file_id
  join run r on r.tenant_id = $n
  and r.run_id = i.run_id
where
  i.tenant_id = $n
  and i.experiment_id = $n
  and i."offset" = 0
  and r.deleted_at is null
  and (
    $n::bytea[] is null
    or r.name_hash = any ($n::bytea[])
  )
  and (
    $n::int8 is null
    or i.file_id > $n::int8
  )
order by
  i.file_id
limit
  $n;

-- returns file_id bigint, run text, name text, version integer, parsed_offset bigint, records bigint, needs_offset bigint, complete boolean, dropped_bytes bigint
/* read-log */
select
  f.file_id,
  r.name as run,
  f.name,
  f.version,
  p.parsed_offset,
  p.records,
  p.needs_offset,
  coalesce(f.completed_bytes = p.parsed_offset, false) as complete,
  f.dropped_bytes
from
  log_index i
  join event_file f on f.tenant_id = $n
  and f.file_id = i.file_id
  join file_progress p on p.tenant_id = $n
  and p.file_id = i.file_id
  join run r on r.tenant_id = $n
  and r.run_id = i.run_id
where
  i.tenant_id = $n
  and i.file_id = $n
  and i."offset" = 0
  and i.experiment_id = $n
  and r.deleted_at is null;
