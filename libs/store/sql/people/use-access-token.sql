-- returns person_id uuid, scopes text[], experiments text[], expires_at timestamptz, stale boolean
/* use-access-token */
select
  person_id,
  scopes,
  experiments,
  expires_at,
  coalesce(last_used_at < now() - interval '1 hour', true) as stale
from
  access_token
where
  tenant_id = $n
  and token_id = $n
  and revoked_at is null
  and (
    expires_at is null
    or expires_at > now()
  );

/* use-access-token-access-token */
update access_token
set
  last_used_at = now()
where
  tenant_id = $n
  and token_id = $n
  and (
    last_used_at is null
    or last_used_at < now() - interval '1 hour'
  );
