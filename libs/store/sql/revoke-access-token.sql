delete
from browser_session
where token_id = any($n::uuid[]);

delete
from device_code
where token_id = any($n::uuid[]);

delete
from sign_in_link
where token_id = any($n::uuid[]);

select "person_id"
from "access_token"
where "tenant_id" = $n
and "token_id" = $n;

with recursive ended as ( select token_id
from access_token
where tenant_id = $n
and token_id = $n
and revoked_at is null
union select t.token_id
from access_token t
join ended e on t.made_by = e.token_id
where t.tenant_id = $n ) update access_token
set revoked_at = now()
where tenant_id = $n
and token_id in (select token_id
from ended)
and revoked_at is null
returning token_id;
