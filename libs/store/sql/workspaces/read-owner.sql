-- returns person_id uuid
select
  /* read-owner */
  "person_id"
from
  "workspace_member"
where
  "tenant_id" = $n
  and "role" = $n
order by
  "created_at",
  "person_id";
