-- returns ?column? integer
/* lock-members */
select
  1
from
  workspace
where
  tenant_id = $n
  and deleted_at is null
for no key update;
