insert into
  "person" ("person_id", "display_name")
values
  ($n, …) /* insert-person */;
