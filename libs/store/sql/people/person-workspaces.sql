-- returns tenant_id uuid
/* read-person-workspaces */
select
  tenant_id
from
  person_workspace
where
  person_id = $n
  and (
    left_at is null
    or $n
  )
order by
  joined_at,
  tenant_id;
