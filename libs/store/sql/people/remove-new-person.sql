/* remove-new-person */
delete from person
where
  person_id = $n;
