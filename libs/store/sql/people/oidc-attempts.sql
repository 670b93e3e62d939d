-- returns full boolean
/* insert-oidc-attempt-oidc-attempt */
select
  count(*) >= $n::int as full
from
  oidc_attempt;

-- returns next text, tenant_id uuid, person_id uuid
/* take-oidc-attempt */
delete from oidc_attempt
where
  attempt_hash = $n
  and expires_at > now()
returning
  next,
  tenant_id,
  person_id;

/* insert-oidc-attempt */
delete from oidc_attempt
where
  expires_at < now();

/* insert-oidc-attempt-insert-oidc-attempt */
insert into
  oidc_attempt (attempt_hash, next, tenant_id, person_id, expires_at)
values
  ($n, …, now() + make_interval(secs => $n::int));
