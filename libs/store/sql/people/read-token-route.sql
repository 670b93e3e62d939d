-- returns tenant_id uuid, token_id uuid
select
  /* read-token-route */
  "tenant_id",
  "token_id"
from
  "token_route"
where
  "token_hash" = $n;
