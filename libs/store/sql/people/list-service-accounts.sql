-- returns person_id uuid, display_name text, role text, created_at timestamptz
/* list-service-accounts */
select
  a.person_id,
  p.display_name,
  m.role,
  a.created_at
from
  service_account a
  join workspace_member m on m.tenant_id = a.tenant_id
  and m.person_id = a.person_id
  join person p on p.person_id = a.person_id
where
  a.tenant_id = $n
  and (
    $n::uuid is null
    or a.person_id = $n::uuid
  )
order by
  p.display_name,
  a.person_id
limit
  $n;
