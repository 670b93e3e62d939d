delete from "code_attempt"
where
  person_id = $n;

delete from "device_code"
where
  person_id = $n;

delete from "oidc_attempt"
where
  person_id = $n;

delete from "person_identity"
where
  person_id = $n;

delete from access_token
where
  tenant_id = $n
  and person_id = $n;

delete from browser_session
where
  person_id = $n;

delete from idempotency_key
where
  tenant_id = $n
  and response -> 'owner' ->> 'id' = $n;

delete from person_workspace
where
  person_id = $n;

delete from sign_in_link
where
  person_id = $n;

select
  display_name,
  created_at
from
  person
where
  person_id = $n
  and erased_at is null;

update audit_entry
set
  address = null
where
  tenant_id = $n
  and actor_id = $n
  and address is not null;

update deletion
set
  requested_by = null
where
  tenant_id = $n
  and requested_by = $n;

update invitation
set
  used_by = null
where
  tenant_id = $n
  and used_by = $n;

update person
set
  display_name = 'Erased person',
  erased_at = now()
where
  person_id = $n;

update share_link
set
  made_by = null
where
  tenant_id = $n
  and made_by = $n;
