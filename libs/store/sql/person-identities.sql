delete from person
where
  person_id = $n;

insert into
  person_identity (issuer, subject, person_id, email)
values
  ($n, …)
on conflict do nothing
returning
  1;

select
  1
from
  person_identity
where
  issuer = $n
  and subject = $n
for update;

select
  person_id,
  tenant_id
from
  person_identity
where
  issuer = $n
  and subject = $n;

select distinct
  issuer
from
  person_identity
where
  person_id = $n
order by
  issuer;

update person_identity
set
  used_at = now(),
  tenant_id = $n,
  email = $n
where
  issuer = $n
  and subject = $n;
