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
