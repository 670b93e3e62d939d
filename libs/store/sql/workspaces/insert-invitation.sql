-- returns expires_at timestamptz
/* insert-invitation */
insert into
  invitation (tenant_id, invitation_id, role, invited_by, made_by, expires_at)
values
  ($n, …::uuid, least(now() + make_interval(secs => $n), $n::timestamptz))
returning
  expires_at;

/* insert-invitation-invitation-route */
insert into
  invitation_route (secret_hash, tenant_id, invitation_id)
values
  ($n, …);
