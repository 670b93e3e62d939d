delete from oidc_attempt
where
  attempt_hash = $n
  and expires_at > now()
returning
  next,
  tenant_id,
  person_id;

delete from oidc_attempt
where
  expires_at < now();

insert into
  oidc_attempt (attempt_hash, next, tenant_id, person_id, expires_at)
values
  ($n, …, now() + make_interval(secs => $n::int));

select
  count(*) >= $n::int as full
from
  oidc_attempt;
