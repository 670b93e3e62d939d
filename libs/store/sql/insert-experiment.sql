insert into
  "experiment" ("tenant_id", "experiment_id", "name", "description", "owner_id", "labels", "notes")
values
  ($n, …);

insert into
  "experiment_epoch" ("tenant_id", "experiment_id")
values
  ($n, …);

insert into
  "experiment_route" ("experiment_id", "tenant_id")
values
  ($n, …);

select
  1
from
  workspace
where
  tenant_id = $n
  and deleted_at is null
for key share;
