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
