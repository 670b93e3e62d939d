-- returns experiment_id text, failures integer, batch_bytes bigint, remark boolean
select
  /* prepared: claim-run */
  "w"."experiment_id",
  "w"."failures",
  "w"."batch_bytes",
  "w"."remark"
from
  "run_work" as "w"
  inner join "experiment" as "e" on "e"."tenant_id" = "w"."tenant_id"
  and "e"."experiment_id" = "w"."experiment_id"
  inner join "run" as "r" on "r"."tenant_id" = "w"."tenant_id"
  and "r"."run_id" = "w"."run_id"
where
  "w"."tenant_id" = $n
  and "w"."run_id" = $n
  and "w"."retry_at" <= now()
  and "w"."held_by" is null
  and "r"."deleted_at" is null
  and "e"."deleted_at" is null
for update of
  "w" skip locked;
