delete from browser_session
where
  tenant_id = $n;

delete from device_code
where
  tenant_id = $n;

delete from idempotency_key
where
  tenant_id = $n;

delete from invitation_route
where
  tenant_id = $n;

delete from pending_segment
where
  tenant_id = $n;

delete from person
where
  person_id = $n;

delete from person_workspace
where
  tenant_id = $n;

delete from progress_batch
where
  tenant_id = $n;

delete from share_link_route
where
  tenant_id = $n;

delete from sign_in_link
where
  tenant_id = $n;

delete from token_route
where
  tenant_id = $n;

delete from workload_identity
where
  tenant_id = $n;

delete from workspace
where
  tenant_id = $n;

rollback to savepoint person;

savepoint person;

select
  1
from
  experiment
where
  tenant_id = $n
limit
  1;

select
  1
from
  workspace
where
  tenant_id = $n
for update;

select
  name,
  originals_days,
  audit_days
from
  workspace
where
  tenant_id = $n
  and deleted_at is null;

select
  person_id
from
  workspace_member
where
  tenant_id = $n
order by
  person_id;

select
  token_id
from
  access_token
where
  tenant_id = $n
  and person_id <> $n;

update access_token
set
  revoked_at = now()
where
  tenant_id = $n
  and person_id <> $n
  and revoked_at is null;

update deletion
set
  requested_by = null
where
  tenant_id = $n;

update experiment
set
  deleted_at = now()
where
  tenant_id = $n
  and deleted_at is null;

update workspace
set
  deleted_at = now()
where
  tenant_id = $n
  and deleted_at is null
returning
  1;

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
