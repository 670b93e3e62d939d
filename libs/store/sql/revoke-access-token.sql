select "person_id"
from "access_token"
where "tenant_id" = $n
and "token_id" = $n;

update access_token
set revoked_at = now()
where tenant_id = $n
and token_id = $n
and revoked_at is null
returning 1;
