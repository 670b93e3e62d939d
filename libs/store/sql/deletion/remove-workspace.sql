-- returns ?column? integer
/* remove-workspace-rows-experiment */
select
  1
from
  experiment
where
  tenant_id = $n
limit
  1;

-- returns ?column? integer
/* remove-workspace-rows-workspace */
select
  1
from
  workspace
where
  tenant_id = $n
for update;

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

-- returns name text, originals_days integer, audit_days integer
/* read-workspace */
select
  name,
  originals_days,
  audit_days
from
  workspace
where
  tenant_id = $n
  and deleted_at is null;

-- returns person_id uuid
/* remove-workspace-rows-workspace-member */
select
  person_id
from
  workspace_member
where
  tenant_id = $n
order by
  person_id;

-- returns token_id uuid
/* tombstone-workspace-access-token */
select
  token_id
from
  access_token
where
  tenant_id = $n
  and person_id <> $n;

/* remove-person */
delete from person
where
  person_id = $n;

/* remove-workspace-rows-browser-session */
delete from browser_session
where
  tenant_id = $n;

/* remove-workspace-rows-delete-workspace */
delete from workspace
where
  tenant_id = $n;

/* remove-workspace-rows-deletion */
update deletion
set
  requested_by = null
where
  tenant_id = $n;

/* remove-workspace-rows-idempotency-key */
delete from idempotency_key
where
  tenant_id = $n;

/* remove-workspace-rows-invitation-route */
delete from invitation_route
where
  tenant_id = $n;

/* remove-workspace-rows-pending-segment */
delete from pending_segment
where
  tenant_id = $n;

/* remove-workspace-rows-person-workspace */
delete from person_workspace
where
  tenant_id = $n;

/* remove-workspace-rows-progress-batch */
delete from progress_batch
where
  tenant_id = $n;

/* remove-workspace-rows-share-link-route */
delete from share_link_route
where
  tenant_id = $n;

/* remove-workspace-rows-sign-in-link */
delete from sign_in_link
where
  tenant_id = $n;

/* remove-workspace-rows-token-route */
delete from token_route
where
  tenant_id = $n;

/* restore-person */
rollback to savepoint person;

/* save-person */
savepoint person;

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

/* update-workspace */
update workspace
set
  originals_days = case
    when $n then $n::int
    else originals_days
  end,
  audit_days = case
    when $n then $n::int
    else audit_days
  end
where
  tenant_id = $n
  and deleted_at is null;
