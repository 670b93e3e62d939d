select
  "tenant_id",
  "token_id"
from
  "token_route"
where
  "token_hash" = $n;
