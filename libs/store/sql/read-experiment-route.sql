select
  "tenant_id"
from
  "experiment_route"
where
  "experiment_id" = $n;
