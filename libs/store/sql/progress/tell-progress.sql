/* prepared: tell-settled */
with
  numbered as (
    update run_work
    set
      progress_number = progress_number + 1
    where
      tenant_id = $n
      and run_id = $n
    returning
      progress_number
  )
insert into
  progress_batch (tenant_id, experiment_id, worker, number, changes)
select
  $n::uuid,
  $n::text,
  $n::text,
  progress_number,
  $n::json
from
  numbered;
