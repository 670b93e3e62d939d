delete from browser_session
where
  tenant_id = $n
  and person_id = $n;

delete from device_code
where
  tenant_id = $n
  and person_id = $n;

delete from sign_in_link
where
  tenant_id = $n
  and person_id = $n;

delete from workspace_member
where
  tenant_id = $n
  and person_id = $n;

update access_token
set
  revoked_at = now()
where
  tenant_id = $n
  and person_id = $n
  and revoked_at is null;

update invitation
set
  revoked_at = now()
where
  tenant_id = $n
  and invited_by = $n
  and used_at is null
  and revoked_at is null;

update person_workspace
set
  left_at = now()
where
  tenant_id = $n
  and person_id = $n;

update workspace_member
set role = $n
where
  tenant_id = $n
  and person_id = $n;
