/* prepared: find-experiment */ select
from experiment
where tenant_id = $n
and experiment_id = $n
and deleted_at is null;
