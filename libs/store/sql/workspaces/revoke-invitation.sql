-- returns ?column? integer
/* revoke-invitation-row */
update invitation
set
  revoked_at = now()
where
  tenant_id = $n
  and invitation_id = $n
  and used_at is null
  and revoked_at is null
  and expires_at > now()
returning
  1;
