-- returns ?column? integer
/* insert-experiment-workspace */
select
  1
from
  workspace
where
  tenant_id = $n
  and deleted_at is null
for key share;

insert into
  "experiment" ("tenant_id", "experiment_id", "name", "description", "owner_id", "labels", "notes")
values
  ($n, …) /* insert-experiment */;

insert into
  "experiment_epoch" ("tenant_id", "experiment_id")
values
  ($n, …) /* insert-experiment-experiment-epoch */;

insert into
  "experiment_route" ("experiment_id", "tenant_id")
values
  ($n, …) /* insert-experiment-experiment-route */;
