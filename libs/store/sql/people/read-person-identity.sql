-- returns ?column? integer
/* lock-person-identity */
select
  1
from
  person_identity
where
  issuer = $n
  and subject = $n
for update;

-- returns person_id uuid, tenant_id uuid
/* read-person-identity */
select
  person_id,
  tenant_id
from
  person_identity
where
  issuer = $n
  and subject = $n;
