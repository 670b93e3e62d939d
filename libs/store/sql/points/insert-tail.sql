insert into
  "run_tail" (
    "tenant_id",
    "run_id",
    "tail_no",
    "part",
    "level",
    "points",
    "created_at",
    "first_series",
    "last_series",
    "body"
  )
values
  ($n, …, now() - make_interval(secs => $n), $n, …) /* insert-tail */;

insert into
  "run_tail" (
    "tenant_id",
    "run_id",
    "tail_no",
    "part",
    "level",
    "points",
    "created_at",
    "first_series",
    "last_series",
    "body"
  )
values
  ($n, …, now() - make_interval(secs => $n), $n, …),
  … /* insert-tail */;
