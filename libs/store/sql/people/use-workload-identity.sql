-- returns person_id uuid, scopes text[], stale boolean
/* use-workload-identity */
select
  person_id,
  scopes,
  coalesce(last_used_at < now() - interval '1 hour', true) as stale
from
  workload_identity
where
  tenant_id = $n
  and workload_id = $n;

/* use-workload-identity-workload-identity */
update workload_identity
set
  last_used_at = now()
where
  tenant_id = $n
  and workload_id = $n
  and (
    last_used_at is null
    or last_used_at < now() - interval '1 hour'
  );
