-- returns file_id bigint, offset bigint, step bigint
select
  /* prepared: read-session-starts */
  "file_id",
  "offset",
  "step"
from
  "session_start"
where
  "tenant_id" = $n
  and "run_id" = $n;
