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
