-- returns experiment_id text
/* list-experiment-ids */
select
  experiment_id
from
  experiment
where
  tenant_id = $n
order by
  experiment_id
limit
  $n;
