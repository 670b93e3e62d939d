-- returns tenant_id uuid, experiment_id text, run_id bigint
/* read-runs-with-old-tails */
select
  w.tenant_id,
  w.experiment_id,
  w.run_id
from
  run_tail t
  join run_work w on w.tenant_id = t.tenant_id
  and w.run_id = t.run_id
where
  w.retry_at <= now()
  and t.tail_no = 1
  and t.part = 0
  and t.created_at < now() - make_interval(secs => $n)
union
select
  w.tenant_id,
  w.experiment_id,
  w.run_id
from
  run_work w
where
  w.remark
  and w.retry_at <= now()
limit
  $n;

-- returns tenant_id uuid, experiment_id text, run_id bigint, due boolean
/* read-pending-runs */
with recursive
  pending as (
    (
      select
        p.tenant_id,
        p.experiment_id,
        p.run_id,
        1 as place
      from
        pending_segment p
      where
        (p.tenant_id, p.experiment_id, p.run_id) > ($n::uuid, $n::text, $n::bigint)
      order by
        p.tenant_id,
        p.experiment_id,
        p.run_id
      limit
        1
    )
    union all
    select
      n.tenant_id,
      n.experiment_id,
      n.run_id,
      r.place + 1
    from
      pending r,
      lateral (
        select
          p.tenant_id,
          p.experiment_id,
          p.run_id
        from
          pending_segment p
        where
          (p.tenant_id, p.experiment_id, p.run_id) > (r.tenant_id, r.experiment_id, r.run_id)
        order by
          p.tenant_id,
          p.experiment_id,
          p.run_id
        limit
          1
      ) n
    where
      r.place < $n
  )
select
  p.tenant_id,
  p.experiment_id,
  p.run_id,
  coalesce(w.retry_at <= now(), false) as due
from
  pending p
  left join run_work w on w.tenant_id = p.tenant_id
  and w.run_id = p.run_id
order by
  p.place;

-- returns tenant_id uuid, experiment_id text, run_id bigint, due boolean
/* read-pending-runs-distinct */
select distinct
  p.tenant_id,
  p.experiment_id,
  p.run_id,
  coalesce(w.retry_at <= now(), false) as due
from
  pending_segment p
  left join run_work w on w.tenant_id = p.tenant_id
  and w.run_id = p.run_id
where
  (p.tenant_id, p.experiment_id, p.run_id) > ($n::uuid, $n::text, $n::bigint)
order by
  p.tenant_id,
  p.experiment_id,
  p.run_id
limit
  $n;
