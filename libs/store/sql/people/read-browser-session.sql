-- returns tenant_id uuid, person_id uuid, credential_until timestamptz, token_id uuid, stale boolean
/* read-browser-session */
select
  tenant_id,
  person_id,
  credential_until,
  token_id,
  seen_at < now() - make_interval(secs => idle_seconds / 20.0) as stale
from
  browser_session
where
  session_hash = $n
  and expires_at > now()
  and seen_at > now() - make_interval(secs => idle_seconds);

/* read-browser-session-browser-session */
update browser_session
set
  seen_at = now()
where
  session_hash = $n;
