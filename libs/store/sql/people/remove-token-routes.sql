-- returns token_id uuid
/* remove-token-routes-of */
select
  token_id
from
  access_token
where
  tenant_id = $n
  and person_id = $n;

/* remove-token-routes */
delete from token_route
where
  tenant_id = $n
  and token_id = any ($n::uuid[]);
