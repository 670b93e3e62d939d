/* remove-person */
delete from person
where
  person_id = $n;

/* restore-person */
rollback to savepoint person;

/* save-person */
savepoint person;
