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
