-- returns ?column? integer
/* insert-person-identity */
insert into
  person_identity (issuer, subject, person_id, email)
values
  ($n, …)
on conflict do nothing
returning
  1;

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

-- returns issuer text
/* list-identity-issuers */
select distinct
  issuer
from
  person_identity
where
  person_id = $n
order by
  issuer;

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

/* note-identity-use */
update person_identity
set
  used_at = now(),
  tenant_id = $n,
  email = $n
where
  issuer = $n
  and subject = $n;

/* remove-new-person */
delete from person
where
  person_id = $n;
