-- returns token_id uuid
/* revoke-access-token */
update access_token
set
  revoked_at = now()
where
  tenant_id = $n
  and token_id = $n
  and revoked_at is null
returning
  token_id;

-- returns token_id uuid
/* revoke-access-token-access-token */
update access_token
set
  revoked_at = now()
where
  tenant_id = $n
  and made_by = any ($n::uuid[])
  and revoked_at is null
returning
  token_id;

/* revoke-access-token-browser-session */
delete from browser_session
where
  token_id = any ($n::uuid[]);

/* revoke-access-token-device-code */
delete from device_code
where
  token_id = any ($n::uuid[]);

/* revoke-access-token-invitation */
update invitation
set
  revoked_at = now()
where
  tenant_id = $n
  and made_by = any ($n::uuid[])
  and used_at is null
  and revoked_at is null;

/* revoke-access-token-sign-in-link */
delete from sign_in_link
where
  token_id = any ($n::uuid[]);
