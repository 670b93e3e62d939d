-- returns end bigint
/* read-segment-end */
select
  "offset" + length as end
from
  segment
where
  tenant_id = $n
  and file_id = $n
  and "offset" < $n
  and "offset" > $n::bigint - $n::bigint
  and "offset" + length > $n;

-- returns read_to bigint, dropped_bytes bigint, rewritten_bytes bigint, received_crc32c bigint, parsed_offset bigint, durable_offset bigint, original_key text, joined_bytes bigint, experiment_id text
/* read-file-progress */
select
  case
    when p.ended then coalesce(
      (
        select
          min(s."offset")
        from
          pending_segment s
        where
          s.tenant_id = $n
          and s.experiment_id = f.experiment_id
          and s.run_id = f.run_id
          and s.file_id = f.file_id
      ),
      f.durable_offset
    )
    else p.parsed_offset
  end as read_to,
  f.dropped_bytes,
  f.rewritten_bytes,
  f.received_crc32c,
  p.parsed_offset,
  f.durable_offset,
  f.original_key,
  f.joined_bytes,
  f.experiment_id
from
  event_file f
  join file_progress p on p.tenant_id = $n
  and p.file_id = f.file_id
where
  f.tenant_id = $n
  and f.file_id = $n;
