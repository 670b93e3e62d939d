-- returns offset bigint, length integer, crc32c bigint, epoch bigint, object_key text
/* read-loose-segments */
select
  s."offset",
  s.length,
  s.crc32c,
  s.epoch,
  s.object_key
from
  event_file f
  join file_progress p on p.tenant_id = $n
  and p.file_id = f.file_id
  join segment s on s.tenant_id = $n
  and s.file_id = f.file_id
where
  f.tenant_id = $n
  and f.file_id = $n
  and f.completed_bytes is distinct from f.durable_offset
  and s."offset" >= $n
  and s.epoch is not null
  and s.length < $n
  and s.received_at < now() - make_interval(secs => $n)
  and s."offset" + s.length <= least(
    case
      when p.ended then f.durable_offset
      else p.parsed_offset
    end,
    coalesce(
      (
        select
          min(q."offset")
        from
          pending_segment q
        where
          q.tenant_id = $n
          and q.experiment_id = f.experiment_id
          and q.run_id = f.run_id
          and q.file_id = f.file_id
      ),
      f.durable_offset
    )
  )
  and not exists (
    select
    from
      file_problem b
    where
      b.tenant_id = $n
      and b.file_id = f.file_id
      and b.ends_file
      and b.reason in ($n, …)
  )
order by
  s."offset"
limit
  $n;

-- returns offset bigint, length integer, crc32c bigint, epoch bigint, object_key text
/* take-segments */
delete from segment
where
  tenant_id = $n
  and file_id = $n
  and "offset" >= $n
  and "offset" < $n
returning
  "offset",
  length,
  crc32c,
  epoch,
  object_key;
