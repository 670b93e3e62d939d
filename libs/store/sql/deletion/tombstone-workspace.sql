-- returns ?column? integer
/* tombstone-workspace */
update workspace
set
  deleted_at = now()
where
  tenant_id = $n
  and deleted_at is null
returning
  1;

-- returns token_id uuid
/* tombstone-workspace-access-token */
select
  token_id
from
  access_token
where
  tenant_id = $n
  and person_id <> $n;

/* tombstone-experiments */
update experiment
set
  deleted_at = now()
where
  tenant_id = $n
  and deleted_at is null;

/* tombstone-workspace-browser-session */
delete from browser_session
where
  tenant_id = $n;

/* tombstone-workspace-device-code */
delete from device_code
where
  tenant_id = $n;

/* tombstone-workspace-invitation-route */
delete from invitation_route
where
  tenant_id = $n;

/* tombstone-workspace-sign-in-link */
delete from sign_in_link
where
  tenant_id = $n;

/* tombstone-workspace-update-access-token */
update access_token
set
  revoked_at = now()
where
  tenant_id = $n
  and person_id <> $n
  and revoked_at is null;

/* tombstone-workspace-workload-identity */
delete from workload_identity
where
  tenant_id = $n;
