-- returns experiment_id text
update "experiment"
set
  "deleted_at" = now()
where
  "tenant_id" = $n
  and "experiment_id" = $n
  and "deleted_at" is null
returning
  "experiment_id" /* delete-experiment */;

delete from "pending_segment"
where
  "tenant_id" = $n
  and "experiment_id" = $n /* delete-experiment-pending-segment */;
