-- returns ?column? integer
/* count-founded-person */
select
  1
from
  person
where
  person_id = $n
  and erased_at is null
for no key update;

-- returns founded integer
/* count-founded-person-workspace */
select
  count(*)::int as founded
from
  person_workspace
where
  person_id = $n
  and founded;

/* note-founder */
update person_workspace
set
  founded = true
where
  person_id = $n
  and tenant_id = $n;
