-- returns ?column? integer
/* insert-person-identity */
insert into
  person_identity (issuer, subject, person_id, email)
values
  ($n, …)
on conflict do nothing
returning
  1;
