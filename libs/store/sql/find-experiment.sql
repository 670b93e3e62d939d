select "experiment_id"
from "experiment"
where "tenant_id" = $n
and "experiment_id" = $n
and "deleted_at" is null;
