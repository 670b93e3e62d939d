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

/* erase-person-in-workspace-report-editor */
update report
set
  updated_by = null
where
  tenant_id = $n
  and updated_by = $n;

/* erase-person-in-workspace-report-link */
update report_link
set
  made_by = null
where
  tenant_id = $n
  and made_by = $n;

/* erase-person-in-workspace-report-owner */
update report
set
  owner_id = null
where
  tenant_id = $n
  and owner_id = $n;

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
