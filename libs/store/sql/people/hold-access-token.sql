-- returns revoked boolean
/* hold-access-token */
select
  revoked_at is not null as revoked
from
  access_token
where
  tenant_id = $n
  and token_id = $n
for share;
