-- returns ?column? integer
/* insert-lost-view-experiment */
select
  1
from
  experiment e
where
  e.tenant_id = $n
  and e.experiment_id = $n
  and not exists (
    select
    from
      progress_view v
    where
      v.tenant_id = $n
      and v.experiment_id = $n
  );

-- returns ?column? integer
/* insert-lost-view-progress-view */
insert into
  progress_view (tenant_id, experiment_id, changes)
select
  e.tenant_id,
  e.experiment_id,
  '[]'::json
from
  experiment e
where
  e.tenant_id = $n
  and e.experiment_id = $n
on conflict (tenant_id, experiment_id) do nothing
returning
  1;

-- returns ?column? integer
/* prepared: save-progress-view */
with
  saved as (
    update progress_view
    set
      published_epoch = $n,
      changes = $n::json,
      outstanding = $n,
      heard_at = now()
    where
      tenant_id = $n
      and experiment_id = $n
  ),
  heard as (
    select
      worker,
      number
    from
      unnest($n::text[], $n::bigint[]) as u (worker, number)
  ),
  known as (
    update progress_heard h
    set
      number = heard.number
    from
      heard
    where
      h.tenant_id = $n
      and h.experiment_id = $n
      and h.worker = heard.worker
    returning
      h.worker
  )
insert into
  progress_heard (tenant_id, experiment_id, worker, number)
select
  $n::uuid,
  $n::text,
  worker,
  number
from
  heard
where
  worker not in (
    select
      worker
    from
      known
  )
returning
  1;

-- returns acknowledged_epoch bigint, pending json, runs json
/* take-ledger-state */
with
  taken as (
    delete from progress_batch
    where
      tenant_id = $n
      and experiment_id = $n
    returning
      1
  )
select
  a.acknowledged_epoch,
  (
    select
      coalesce(json_agg(json_build_array(p.epoch, p.segments)), '[]')
    from
      (
        select
          s.epoch,
          count(*) as segments
        from
          pending_segment s
        where
          s.tenant_id = $n
          and s.experiment_id = $n
        group by
          s.epoch
      ) p
  ) as pending,
  (
    select
      coalesce(json_agg(json_build_array(w.run_id::text, w.progress_number)), '[]')
    from
      run r
      join run_work w on w.tenant_id = $n
      and w.run_id = r.run_id
    where
      r.tenant_id = $n
      and r.experiment_id = $n
      and w.progress_number > 0
  ) as runs
from
  experiment_epoch a
where
  a.tenant_id = $n
  and a.experiment_id = $n;

-- returns published_epoch bigint, changes json, deleted boolean, waiting bigint, set_config text
/* prepared: lock-progress-view */
select
  v.published_epoch,
  v.changes,
  e.deleted_at is not null as deleted,
  (
    select
      count(*)
    from
      (
        select
        from
          progress_batch b
        where
          b.tenant_id = $n
          and b.experiment_id = $n
        limit
          $n
      ) n
  ) as waiting,
  set_config('idle_in_transaction_session_timeout', $n, true)
from
  progress_view v
  join experiment e on e.tenant_id = $n
  and e.experiment_id = v.experiment_id
where
  v.tenant_id = $n
  and v.experiment_id = $n
for update of
  v skip locked;

-- returns set_config text, set_config text
/* bound-lost-view */
select
  set_config('lock_timeout', '100', true),
  set_config('idle_in_transaction_session_timeout', $n, true);

-- returns worker text, number bigint, changes json, heard bigint
/* prepared: take-batches */
with
  taken as (
    delete from progress_batch
    where
      tenant_id = $n
      and experiment_id = $n
    returning
      worker,
      number,
      changes
  )
select
  t.worker,
  t.number,
  t.changes,
  coalesce(h.number, 0) as heard
from
  taken t
  left join progress_heard h on h.tenant_id = $n
  and h.experiment_id = $n
  and h.worker = t.worker;

/* drop-batches */
delete from progress_batch
where
  tenant_id = $n
  and experiment_id = $n;

/* forget-workers */
delete from progress_heard
where
  tenant_id = $n
  and experiment_id = $n
  and worker <> all ($n::text[]);

/* insert-progress-view */
insert into
  progress_view (tenant_id, experiment_id, changes)
values
  ($n, …::json);

/* lock-progress-batches */
lock table progress_batch in share row exclusive mode;
