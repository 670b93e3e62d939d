/* remove-member-row-access-token */
update access_token
set
  revoked_at = now()
where
  tenant_id = $n
  and person_id = $n
  and revoked_at is null;

/* remove-member-row-browser-session */
delete from browser_session
where
  tenant_id = $n
  and person_id = $n;

/* remove-member-row-device-code */
delete from device_code
where
  tenant_id = $n
  and person_id = $n;

/* remove-member-row-invitation */
update invitation
set
  revoked_at = now()
where
  tenant_id = $n
  and invited_by = $n
  and used_at is null
  and revoked_at is null;

/* remove-member-row-person-workspace */
update person_workspace
set
  left_at = now()
where
  tenant_id = $n
  and person_id = $n;

/* remove-member-row-sign-in-link */
delete from sign_in_link
where
  tenant_id = $n
  and person_id = $n;

/* remove-member-row-workspace-member */
delete from workspace_member
where
  tenant_id = $n
  and person_id = $n;

/* update-member-role */
update workspace_member
set role = $n
where
  tenant_id = $n
  and person_id = $n;
