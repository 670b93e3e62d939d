-- returns ?column? integer
/* remove-workload-identity */
delete from workload_identity
where
  tenant_id = $n
  and workload_id = $n
  and person_id = $n
returning
  1;

-- returns workload_id uuid, person_id uuid, issuer text, audience text, subject text, scopes text[], created_at timestamptz, last_used_at timestamptz
/* list-workload-identities */
select
  workload_id,
  person_id,
  issuer,
  audience,
  subject,
  scopes,
  created_at,
  last_used_at
from
  workload_identity
where
  tenant_id = $n
  and (
    $n::uuid is null
    or person_id = $n::uuid
  )
order by
  created_at,
  workload_id
limit
  $n;

/* insert-workload-identity */
insert into
  workload_identity (tenant_id, workload_id, person_id, issuer, audience, subject, scopes)
values
  ($n, …::text[]);
