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

-- returns set_config text, set_config text
/* bound-lost-view */
select
  set_config('lock_timeout', '100', true),
  set_config('idle_in_transaction_session_timeout', $n, true);

/* insert-progress-view */
insert into
  progress_view (tenant_id, experiment_id, changes)
values
  ($n, …::json);

/* lock-progress-batches */
lock table progress_batch in share row exclusive mode;
