-- returns file_id bigint, name text, version integer, parsed_offset bigint, needs_offset bigint, ended boolean, records bigint, unverified_records bigint, durable_offset bigint, crc32c bigint, complete boolean, original_key text, dropped_bytes bigint, counts_from bigint, first_wall_time float8, last_wall_time float8, head_crc32c bigint, copy_of bigint, replaced boolean, offsets text[], lengths integer[], quarantined text[]
/* prepared: read-run-files */
select
  f.file_id,
  f.name,
  f.version,
  g.parsed_offset,
  g.needs_offset,
  g.ended,
  g.records,
  g.unverified_records,
  f.durable_offset,
  f.crc32c,
  coalesce(f.completed_bytes = f.durable_offset, false) as complete,
  f.original_key,
  f.dropped_bytes,
  g.counts_from,
  g.first_wall_time,
  g.last_wall_time,
  g.head_crc32c,
  g.copy_of,
  g.replaced,
  s.offsets,
  s.lengths,
  (
    select
      array_agg(p."offset"::text)
    from
      file_problem p
    where
      p.tenant_id = $n
      and p.file_id = f.file_id
      and p.reason = $n
  ) as quarantined
from
  event_file f
  join file_progress g on g.tenant_id = $n
  and g.file_id = f.file_id,
  lateral (
    select
      array_agg(
        q."offset"::text
        order by
          q."offset"
      ) as offsets,
      array_agg(
        q.length
        order by
          q."offset"
      ) as lengths
    from
      (
        select
          p."offset",
          p.length
        from
          pending_segment p
        where
          p.tenant_id = $n
          and p.experiment_id = $n
          and p.run_id = $n
          and p.file_id = f.file_id
        order by
          p."offset"
        limit
          $n
      ) q
  ) s
where
  f.tenant_id = $n
  and f.run_id = $n;
