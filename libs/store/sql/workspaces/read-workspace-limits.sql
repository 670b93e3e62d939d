-- returns points bigint, bytes bigint, experiments bigint, series bigint, files bigint, pending_bytes bigint, requests_per_minute bigint, suspension text, suspended_at timestamptz, suspension_reason text
/* read-workspace-limits */
select
  points,
  bytes,
  experiments,
  series,
  files,
  pending_bytes,
  requests_per_minute,
  suspension,
  suspended_at,
  suspension_reason
from
  workspace_limits
where
  tenant_id = $n;
