delete from browser_session
where
  token_id = any ($n::uuid[]);

delete from device_code
where
  token_id = any ($n::uuid[]);

delete from sign_in_link
where
  token_id = any ($n::uuid[]);

select
  "person_id"
from
  "access_token"
where
  "tenant_id" = $n
  and "token_id" = $n;

select
  revoked_at is not null as revoked
from
  access_token
where
  tenant_id = $n
  and token_id = $n
for share;

update access_token
set
  revoked_at = now()
where
  tenant_id = $n
  and made_by = any ($n::uuid[])
  and revoked_at is null
returning
  token_id;

update access_token
set
  revoked_at = now()
where
  tenant_id = $n
  and token_id = $n
  and revoked_at is null
returning
  token_id;

update invitation
set
  revoked_at = now()
where
  tenant_id = $n
  and made_by = any ($n::uuid[])
  and used_at is null
  and revoked_at is null;
