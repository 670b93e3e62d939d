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
