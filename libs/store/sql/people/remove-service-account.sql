/* remove-service-account-access-token */
delete from access_token
where
  tenant_id = $n
  and person_id = $n;

/* remove-service-account-workspace-member */
delete from workspace_member
where
  tenant_id = $n
  and person_id = $n;
