insert into "browser_session" ("session_hash", "tenant_id", "person_id", "expires_at")
values ($n, …, now() + make_interval(secs => $n));

select "tenant_id", "person_id"
from "browser_session"
where "session_hash" = $n
and "expires_at" > now();
