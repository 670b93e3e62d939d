insert into
  "session_start" ("tenant_id", "run_id", "file_id", "offset", "step", "wall_time")
values
  ($n, …)
on conflict do nothing /* write-session-starts */;

insert into
  "session_start" ("tenant_id", "run_id", "file_id", "offset", "step", "wall_time")
values
  ($n, …),
  …
on conflict do nothing /* write-session-starts */;
