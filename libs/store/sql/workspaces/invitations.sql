-- returns ?column? integer
/* revoke-invitation-row */
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

-- returns expires_at timestamptz
/* insert-invitation */
insert into
  invitation (tenant_id, invitation_id, role, invited_by, made_by, expires_at)
values
  ($n, …::uuid, least(now() + make_interval(secs => $n), $n::timestamptz))
returning
  expires_at;

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

-- returns role text, invited_by uuid
/* use-invitation */
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

-- returns tenant_id uuid, invitation_id uuid
/* read-invitation-route */
select
  tenant_id,
  invitation_id
from
  invitation_route
where
  secret_hash = $n;

/* insert-invitation-invitation-route */
insert into
  invitation_route (secret_hash, tenant_id, invitation_id)
values
  ($n, …);
