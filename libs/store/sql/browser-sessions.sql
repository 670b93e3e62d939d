insert into "browser_session" ("session_hash", "tenant_id", "person_id", "expires_at")
values ($n, …);

select "tenant_id", "person_id", "expires_at"
from "browser_session"
where "session_hash" = $n;
