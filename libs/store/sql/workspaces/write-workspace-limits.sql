-- returns ?column? integer
/* write-workspace-limits-workspace */
select
  1
from
  workspace
where
  tenant_id = $n
for no key update;

-- returns row text
/* read-row */
select
  (jsonb_strip_nulls(to_jsonb(w)) - 'tenant_id')::text as row
from
  workspace_limits w
where
  tenant_id = $n;

/* write-workspace-limits */
insert into
  workspace_limits (tenant_id)
values
  ($n)
on conflict (tenant_id) do nothing;

/* write-workspace-limits-update-workspace-limits */
update workspace_limits
set
  suspension = null,
  suspended_at = null,
  suspension_reason = null
where
  tenant_id = $n;

/* write-workspace-limits-workspace-limits */
update workspace_limits
set
  "bytes" = $n
where
  tenant_id = $n;

/* write-workspace-limits-workspace-limits */
update workspace_limits
set
  "experiments" = $n
where
  tenant_id = $n;

/* write-workspace-limits-workspace-limits */
update workspace_limits
set
  "files" = $n
where
  tenant_id = $n;

/* write-workspace-limits-workspace-limits */
update workspace_limits
set
  "pending_bytes" = $n
where
  tenant_id = $n;

/* write-workspace-limits-workspace-limits */
update workspace_limits
set
  "points" = $n
where
  tenant_id = $n;

/* write-workspace-limits-workspace-limits */
update workspace_limits
set
  "requests_per_minute" = $n
where
  tenant_id = $n;

/* write-workspace-limits-workspace-limits */
update workspace_limits
set
  "series" = $n
where
  tenant_id = $n;

/* write-workspace-limits-workspace-limits-2 */
update workspace_limits
set
  suspension = $n,
  suspended_at = now(),
  suspension_reason = $n
where
  tenant_id = $n;

/* write-workspace-limits-workspace-limits-change */
insert into
  workspace_limits_change (tenant_id, change_id, changed_by, before, after, note)
values
  ($n, …::jsonb, $n::jsonb, $n);
