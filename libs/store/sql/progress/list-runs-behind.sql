-- returns name text, since timestamptz, bytes bigint, failures integer, last_error text, held boolean, next_try_at timestamptz, working boolean
/* list-runs-behind */
select
  r.name,
  p.since,
  p.bytes,
  w.failures,
  w.last_error,
  w.held_by is not null as held,
  case
    when w.retry_at > now() then w.retry_at
  end as next_try_at,
  exists (
    select
    from
      pg_locks l
    where
      l.locktype = 'transactionid'
      and l.granted
      and l.transactionid = w.xmax
  ) as working
from
  (
    select
      s.run_id,
      min(s.received_at) as since,
      sum(s.length) as bytes
    from
      pending_segment s
    where
      s.tenant_id = $n
      and s.experiment_id = $n
    group by
      s.run_id
    order by
      since,
      s.run_id
    limit
      $n
  ) p
  join run r on r.tenant_id = $n
  and r.run_id = p.run_id
  and r.deleted_at is null
  join run_work w on w.tenant_id = $n
  and w.run_id = p.run_id
order by
  p.since,
  p.run_id;
