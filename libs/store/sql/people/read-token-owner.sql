-- returns person_id uuid
select
  /* read-token-owner */
  "person_id"
from
  "access_token"
where
  "tenant_id" = $n
  and "token_id" = $n;
