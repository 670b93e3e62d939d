-- returns run_id bigint
/* list-run-ids */
select
  run_id
from
  run
where
  tenant_id = $n
  and experiment_id = $n
order by
  run_id
limit
  $n;
