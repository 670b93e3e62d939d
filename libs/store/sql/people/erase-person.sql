-- returns display_name text, created_at timestamptz
/* read-person */
select
  display_name,
  created_at
from
  person
where
  person_id = $n
  and erased_at is null;

/* erase-person-in-workspace-access-token */
delete from access_token
where
  tenant_id = $n
  and person_id = $n;

/* erase-person-in-workspace-audit-entry */
update audit_entry
set
  address = null
where
  tenant_id = $n
  and actor_id = $n
  and address is not null;

/* erase-person-in-workspace-deletion */
update deletion
set
  requested_by = null
where
  tenant_id = $n
  and requested_by = $n;

/* erase-person-in-workspace-idempotency-key */
delete from idempotency_key
where
  tenant_id = $n
  and response -> 'owner' ->> 'id' = $n;

/* erase-person-in-workspace-invitation */
update invitation
set
  used_by = null
where
  tenant_id = $n
  and used_by = $n;

/* erase-person-in-workspace-private-view */
delete from saved_view
where
  tenant_id = $n
  and owner_id = $n
  and not shared;

/* erase-person-in-workspace-share-link */
update share_link
set
  made_by = null
where
  tenant_id = $n
  and made_by = $n;

/* erase-person-in-workspace-shared-view */
update saved_view
set
  owner_id = null
where
  tenant_id = $n
  and owner_id = $n;

/* erase-person-row-browser-session */
delete from browser_session
where
  person_id = $n;

/* erase-person-row-person */
update person
set
  display_name = 'Erased person',
  erased_at = now()
where
  person_id = $n;

/* erase-person-row-person-workspace */
delete from person_workspace
where
  person_id = $n;

/* erase-person-row-sign-in-link */
delete from sign_in_link
where
  person_id = $n;

/* erase-person-rows */
delete from "code_attempt"
where
  person_id = $n;

/* erase-person-rows */
delete from "device_code"
where
  person_id = $n;

/* erase-person-rows */
delete from "oidc_attempt"
where
  person_id = $n;

/* erase-person-rows */
delete from "person_identity"
where
  person_id = $n;
