-- returns offset bigint, lines bigint
/* find-log-entry */
select
  "offset",
  lines
from
  log_index
where
  tenant_id = $n
  and file_id = $n
  and lines < $n
order by
  "offset" desc
limit
  1;
