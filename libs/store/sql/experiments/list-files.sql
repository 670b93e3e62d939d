-- returns created_at text
/* read-announcement */
select
  f.created_at::text as created_at
from
  event_file f
where
  f.tenant_id = $n
  and f.experiment_id = $n
  and f.file_id = $n;

-- returns file_id bigint, run text, name text, version integer, durable_offset bigint, crc32c bigint, completed_bytes bigint, sha256 bytea, dropped_bytes bigint, rewritten_bytes bigint, rewritten_crc32c bigint, received_crc32c bigint, records bigint, unverified_records bigint, rejected_bytes bigint, parsed_offset bigint, ended boolean, copy_of bigint, replaced boolean, settled bigint
/* list-files-read-event-file */
select
  f.file_id,
  r.name as run,
  f.name,
  f.version,
  f.durable_offset,
  f.crc32c,
  f.completed_bytes,
  f.sha256,
  f.dropped_bytes,
  f.rewritten_bytes,
  f.rewritten_crc32c,
  f.received_crc32c,
  p.records,
  p.unverified_records,
  p.rejected_bytes,
  p.parsed_offset,
  p.ended,
  p.copy_of,
  p.replaced,
  w.settled
from
  event_file f
  join run r on r.tenant_id = $n
  and r.run_id = f.run_id
  left join file_progress p on p.tenant_id = $n
  and p.file_id = f.file_id
  left join lateral (
    select
      min(s."offset") as settled
    from
      pending_segment s
    where
      s.tenant_id = $n
      and s.experiment_id = $n
      and s.run_id = f.run_id
      and s.file_id = f.file_id
  ) w on true
where
  f.tenant_id = $n
  and f.experiment_id = $n
  and r.deleted_at is null
  and (f.created_at, f.file_id) > ($n::timestamptz, $n::int8)
order by
  f.created_at,
  f.file_id
limit
  $n;

-- returns file_id bigint, run text, name text, version integer, durable_offset bigint, crc32c bigint, completed_bytes bigint, sha256 bytea, dropped_bytes bigint, rewritten_bytes bigint, rewritten_crc32c bigint, received_crc32c bigint, records bigint, unverified_records bigint, rejected_bytes bigint, parsed_offset bigint, ended boolean, copy_of bigint, replaced boolean, settled bigint
/* list-files-read-event-file */
select
  f.file_id,
  r.name as run,
  f.name,
  f.version,
  f.durable_offset,
  f.crc32c,
  f.completed_bytes,
  f.sha256,
  f.dropped_bytes,
  f.rewritten_bytes,
  f.rewritten_crc32c,
  f.received_crc32c,
  p.records,
  p.unverified_records,
  p.rejected_bytes,
  p.parsed_offset,
  p.ended,
  p.copy_of,
  p.replaced,
  w.settled
from
  event_file f
  join run r on r.tenant_id = $n
  and r.run_id = f.run_id
  left join file_progress p on p.tenant_id = $n
  and p.file_id = f.file_id
  left join lateral (
    select
      min(s."offset") as settled
    from
      pending_segment s
    where
      s.tenant_id = $n
      and s.experiment_id = $n
      and s.run_id = f.run_id
      and s.file_id = f.file_id
  ) w on true
where
  f.tenant_id = $n
  and f.experiment_id = $n
  and r.deleted_at is null
  and not (
    f.name like $n
    and f.name not like $n
  )
  and true
order by
  f.created_at,
  f.file_id
limit
  $n;

-- returns file_id bigint, run text, name text, version integer, durable_offset bigint, crc32c bigint, completed_bytes bigint, sha256 bytea, dropped_bytes bigint, rewritten_bytes bigint, rewritten_crc32c bigint, received_crc32c bigint, records bigint, unverified_records bigint, rejected_bytes bigint, parsed_offset bigint, ended boolean, copy_of bigint, replaced boolean, settled bigint
/* list-files-read-event-file */
select
  f.file_id,
  r.name as run,
  f.name,
  f.version,
  f.durable_offset,
  f.crc32c,
  f.completed_bytes,
  f.sha256,
  f.dropped_bytes,
  f.rewritten_bytes,
  f.rewritten_crc32c,
  f.received_crc32c,
  p.records,
  p.unverified_records,
  p.rejected_bytes,
  p.parsed_offset,
  p.ended,
  p.copy_of,
  p.replaced,
  w.settled
from
  event_file f
  join run r on r.tenant_id = $n
  and r.run_id = f.run_id
  left join file_progress p on p.tenant_id = $n
  and p.file_id = f.file_id
  left join lateral (
    select
      min(s."offset") as settled
    from
      pending_segment s
    where
      s.tenant_id = $n
      and s.experiment_id = $n
      and s.run_id = f.run_id
      and s.file_id = f.file_id
  ) w on true
where
  f.tenant_id = $n
  and f.experiment_id = $n
  and r.deleted_at is null
  and true
order by
  f.created_at,
  f.file_id
limit
  $n;
