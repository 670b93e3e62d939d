-- returns file_id bigint, experiment_id text, run_id bigint, name text, version integer, durable_offset bigint, crc32c bigint, completed_bytes bigint, original_key text, dropped_bytes bigint, rewritten_bytes bigint, rewritten_crc32c bigint, received_crc32c bigint, deleted boolean, run_deleted boolean, frozen boolean
/* prepared: lock-files */
select
  f.file_id,
  f.experiment_id,
  f.run_id,
  f.name,
  f.version,
  f.durable_offset,
  f.crc32c,
  f.completed_bytes,
  f.original_key,
  f.dropped_bytes,
  f.rewritten_bytes,
  f.rewritten_crc32c,
  f.received_crc32c,
  e.deleted_at is not null as deleted,
  r.deleted_at is not null as run_deleted,
  e.snapshot_of is not null as frozen
from
  event_file f
  join run r on r.tenant_id = f.tenant_id
  and r.run_id = f.run_id
  join experiment e on e.tenant_id = f.tenant_id
  and e.experiment_id = f.experiment_id
where
  f.tenant_id = $n
  and f.file_id = any ($n::bigint[])
order by
  f.file_id
for no key update of
  f;

-- returns file_id bigint, experiment_id text, run_id bigint, name text, version integer, durable_offset bigint, crc32c bigint, completed_bytes bigint, original_key text, dropped_bytes bigint, rewritten_bytes bigint, rewritten_crc32c bigint, received_crc32c bigint, deleted boolean, run_deleted boolean, frozen boolean
/* prepared: read-file */
select
  f.file_id,
  f.experiment_id,
  f.run_id,
  f.name,
  f.version,
  f.durable_offset,
  f.crc32c,
  f.completed_bytes,
  f.original_key,
  f.dropped_bytes,
  f.rewritten_bytes,
  f.rewritten_crc32c,
  f.received_crc32c,
  e.deleted_at is not null as deleted,
  r.deleted_at is not null as run_deleted,
  e.snapshot_of is not null as frozen
from
  event_file f
  join run r on r.tenant_id = f.tenant_id
  and r.run_id = f.run_id
  join experiment e on e.tenant_id = f.tenant_id
  and e.experiment_id = f.experiment_id
where
  f.tenant_id = $n
  and f.file_id = any ($n::bigint[])
order by
  f.file_id;
