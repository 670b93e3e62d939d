-- returns file_id bigint
/* read-old-originals */
select
  f.file_id
from
  event_file f
  join workspace w on w.tenant_id = $n
  join file_progress p on p.tenant_id = $n
  and p.file_id = f.file_id
where
  f.tenant_id = $n
  and f.file_id > $n
  and f.completed_at < now() - make_interval(days => w.originals_days)
  and (
    p.parsed_offset > f.dropped_bytes
    or (
      p.ended
      and f.durable_offset > f.dropped_bytes
    )
  )
  and not exists (
    select
      1
    from
      pending_segment s
    where
      s.tenant_id = $n
      and s.experiment_id = f.experiment_id
      and s.run_id = f.run_id
      and s.file_id = f.file_id
  )
order by
  f.file_id
limit
  $n;
