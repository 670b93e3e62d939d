-- returns display_name text, created_at timestamptz
/* read-person */
select
  display_name,
  created_at
from
  person
where
  person_id = $n
  and erased_at is null;
