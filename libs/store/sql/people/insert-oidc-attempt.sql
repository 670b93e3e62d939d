-- returns full boolean
/* insert-oidc-attempt-oidc-attempt */
select
  count(*) >= $n::int as full
from
  oidc_attempt;

/* insert-oidc-attempt */
delete from oidc_attempt
where
  expires_at < now();

/* insert-oidc-attempt-insert-oidc-attempt */
insert into
  oidc_attempt (attempt_hash, next, tenant_id, person_id, expires_at)
values
  ($n, …, now() + make_interval(secs => $n::int));
