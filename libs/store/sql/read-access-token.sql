select "person_id", "expires_at", "revoked_at"
from "access_token"
where "tenant_id" = $n
and "token_id" = $n;
