-- returns role text
select
  /* read-member-role */
  "role"
from
  "workspace_member"
where
  "tenant_id" = $n
  and "person_id" = $n;
