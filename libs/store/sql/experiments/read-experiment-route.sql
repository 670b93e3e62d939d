-- returns tenant_id uuid
select
  /* read-experiment-route */
  "tenant_id"
from
  "experiment_route"
where
  "experiment_id" = $n;
