-- returns file_id bigint
/* list-run-file-ids */
select
  file_id
from
  event_file
where
  tenant_id = $n
  and run_id = $n
order by
  file_id
limit
  $n;
