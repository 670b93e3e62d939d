-- returns epoch bigint
/* read-last-epoch */
select
  epoch
from
  segment
where
  tenant_id = $n
  and file_id = $n
  and epoch is not null
order by
  "offset" desc
limit
  1;

/* complete-file */
update event_file
set
  completed_bytes = $n,
  completed_at = now()
where
  tenant_id = $n
  and file_id = $n
  and completed_bytes is distinct from $n::bigint;
