-- returns role text, invited_by uuid
/* use-invitation */
update invitation
set
  used_at = now(),
  used_by = $n
where
  tenant_id = $n
  and invitation_id = $n
  and used_at is null
  and revoked_at is null
  and expires_at > now()
returning
  role,
  invited_by;
