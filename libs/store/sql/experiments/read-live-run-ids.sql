-- returns run_id bigint
/* read-live-run-ids */
select
  r.run_id
from
  run r
where
  r.tenant_id = $n
  and r.experiment_id = $n
  and r.deleted_at is null
  and exists (
    select
    from
      run_tail t
    where
      t.tenant_id = $n
      and t.run_id = r.run_id
  );
