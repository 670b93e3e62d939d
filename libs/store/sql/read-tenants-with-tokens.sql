select distinct "tenant_id"
from "token_route"
order by "tenant_id"
limit $n;
