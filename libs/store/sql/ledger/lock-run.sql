-- returns ?column? integer
/* lock-run */
select
  1
from
  run_work
where
  tenant_id = $n
  and run_id = $n
for update;
