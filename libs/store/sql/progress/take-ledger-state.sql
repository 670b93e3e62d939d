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
