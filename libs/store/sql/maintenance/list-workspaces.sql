-- returns tenant_id uuid, name text, created_at timestamptz, suspension text
/* list-workspaces */
select
  w.tenant_id,
  w.name,
  w.created_at,
  l.suspension
from
  workspace w
  left join workspace_limits l on l.tenant_id = w.tenant_id
order by
  w.created_at,
  w.tenant_id
limit
  $n;
