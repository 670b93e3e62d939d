-- returns ?column? integer
/* poll-device-code-update-device-code */
update device_code
set
  polled_at = now(),
  interval_seconds = interval_seconds + $n::int
where
  device_hash = $n
  and polled_at is not distinct from $n::timestamptz
returning
  1;

-- returns polled text, good boolean, early boolean
/* poll-device-code-device-code */
select
  polled_at::text as polled,
  expires_at > now() as good,
  coalesce(polled_at > now() - make_interval(secs => interval_seconds), false) as early
from
  device_code
where
  device_hash = $n;

-- returns state text, client_name text, scopes text[], tenant_id uuid, person_id uuid, credential_until timestamptz, token_id uuid
/* poll-device-code */
delete from device_code
where
  device_hash = $n
  and state <> 'pending'
  and expires_at > now()
returning
  state,
  client_name,
  scopes,
  tenant_id,
  person_id,
  credential_until,
  token_id;
