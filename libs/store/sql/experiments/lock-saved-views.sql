-- returns ?column? integer
/* lock-saved-views */
select
  1
from
  experiment
where
  tenant_id = $n
  and experiment_id = $n
for no key update;

-- returns count bigint
/* count-saved-views */
select
  count(*) as count
from
  saved_view
where
  tenant_id = $n
  and experiment_id = $n
  and shared = $n
  and (
    shared
    or owner_id = $n
  );
