-- returns invitation_id uuid, role text, invited_by uuid, display_name text, created_at timestamptz, expires_at timestamptz
/* list-open-invitations */
select
  i.invitation_id,
  i.role,
  i.invited_by,
  p.display_name,
  i.created_at,
  i.expires_at
from
  invitation i
  join person p on p.person_id = i.invited_by
where
  i.tenant_id = $n
  and i.used_at is null
  and i.revoked_at is null
  and i.expires_at > now()
order by
  i.created_at desc,
  i.invitation_id
limit
  $n;
