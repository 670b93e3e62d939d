-- returns tenant_id uuid, experiment_id text, run_id bigint
/* read-runs-to-roll-up */
select
  w.tenant_id,
  w.experiment_id,
  w.run_id
from
  (
    select distinct
      d.tenant_id,
      d.run_id
    from
      series_to_roll_up d
  ) d
  join run_work w on w.tenant_id = d.tenant_id
  and w.run_id = d.run_id
where
  w.retry_at <= now()
  and w.held_by is null
order by
  w.retry_at,
  w.run_id
limit
  $n;
