delete from token_route
where
  tenant_id = $n
  and token_id = any ($n::uuid[]);

select
  token_id
from
  access_token
where
  tenant_id = $n
  and person_id = $n;
