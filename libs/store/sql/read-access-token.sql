select "person_id"
from "access_token"
where "tenant_id" = $n
and "token_id" = $n
and "revoked_at" is null
and ("expires_at" is null
or "expires_at" > now());
