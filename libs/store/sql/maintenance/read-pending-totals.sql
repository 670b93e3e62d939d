-- returns segments bigint, bytes bigint, earlier bigint, oldest_ms float8, at timestamptz
/* read-pending-totals */
select
  count(*) as segments,
  coalesce(sum(p.length), 0) as bytes,
  count(*) filter (
    where
      p.received_at < $n::timestamptz
  ) as earlier,
  (
    extract(
      epoch
      from
        now() - min(p.received_at) filter (
          where
            w.retry_at <= now()
            and w.held_by is null
        )
    ) * 1000
  )::float8 as oldest_ms,
  now() as at
from
  pending_segment p
  left join run_work w on w.tenant_id = p.tenant_id
  and w.run_id = p.run_id;
