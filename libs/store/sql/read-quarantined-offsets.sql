select "offset"
from "file_problem"
where "tenant_id" = $n
and "file_id" = $n
and "reason" = $n;
