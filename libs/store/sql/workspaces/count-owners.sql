-- returns owners integer
/* count-owners */
select
  count(*)::int as owners
from
  workspace_member
where
  tenant_id = $n
  and role = 'owner';
