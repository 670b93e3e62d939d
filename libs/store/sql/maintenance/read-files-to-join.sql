-- returns tenant_id uuid, file_id bigint, ready boolean
/* read-files-to-join */
select
  f.tenant_id,
  f.file_id,
  p.file_id is null
  and f.completed_at <= now() - make_interval(secs => $n) as ready
from
  event_file f
  left join lateral (
    select
      p.file_id
    from
      pending_segment p
    where
      p.tenant_id = f.tenant_id
      and p.experiment_id = f.experiment_id
      and p.run_id = f.run_id
      and p.file_id = f.file_id
    order by
      p."offset"
    limit
      1
  ) p on true
where
  f.completed_bytes > f.joined_bytes
  and f.dropped_bytes = 0
  and (f.tenant_id, f.file_id) > ($n::uuid, $n::bigint)
order by
  f.tenant_id,
  f.file_id
limit
  $n;
