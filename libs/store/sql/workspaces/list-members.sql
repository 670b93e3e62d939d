-- returns person_id uuid, display_name text, role text, created_at timestamptz
/* list-members */
select
  m.person_id,
  p.display_name,
  m.role,
  m.created_at
from
  workspace_member m
  join person p on p.person_id = m.person_id
where
  m.tenant_id = $n
  and (
    $n::uuid is null
    or m.person_id > $n::uuid
  )
order by
  m.person_id
limit
  $n;
