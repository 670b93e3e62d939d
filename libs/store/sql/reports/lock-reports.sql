-- returns ?column? integer
/* lock-reports */
select
  1
from
  workspace
where
  tenant_id = $n
for no key update;

-- returns count bigint
/* count-reports */
select
  count(*) as count
from
  report
where
  tenant_id = $n;
