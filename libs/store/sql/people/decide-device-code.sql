-- returns ?column? integer
/* decide-device-code */
update device_code
set
  state = $n,
  tenant_id = $n,
  person_id = $n,
  credential_until = $n,
  token_id = $n
where
  user_hash = $n
  and state = 'pending'
  and expires_at > now()
returning
  1;

-- returns client_name text, scopes text[]
/* read-device-code */
select
  client_name,
  scopes
from
  device_code
where
  user_hash = $n
  and state = 'pending'
  and expires_at > now();
