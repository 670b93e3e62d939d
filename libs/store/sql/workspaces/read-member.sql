-- returns role text, program boolean
/* read-member */
select
  m.role,
  exists (
    select
      1
    from
      service_account a
    where
      a.tenant_id = $n
      and a.person_id = m.person_id
  ) as program
from
  workspace_member m
where
  m.tenant_id = $n
  and m.person_id = $n;
