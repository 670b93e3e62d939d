insert into
  invitation (tenant_id, invitation_id, role, invited_by, made_by, expires_at)
values
  ($n, …::uuid, least(now() + make_interval(secs => $n), $n::timestamptz))
returning
  expires_at;

insert into
  invitation_route (secret_hash, tenant_id, invitation_id)
values
  ($n, …);

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

select
  tenant_id,
  invitation_id
from
  invitation_route
where
  secret_hash = $n;

update invitation
set
  revoked_at = now()
where
  tenant_id = $n
  and invitation_id = $n
  and used_at is null
  and revoked_at is null
  and expires_at > now()
returning
  1;

update invitation
set
  used_at = now(),
  used_by = $n
where
  tenant_id = $n
  and invitation_id = $n
  and used_at is null
  and revoked_at is null
  and expires_at > now()
returning
  role,
  invited_by;
