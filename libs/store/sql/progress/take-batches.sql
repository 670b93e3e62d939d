-- returns worker text, number bigint, changes json, heard bigint
/* prepared: take-batches */
with
  taken as (
    delete from progress_batch
    where
      tenant_id = $n
      and experiment_id = $n
    returning
      worker,
      number,
      changes
  )
select
  t.worker,
  t.number,
  t.changes,
  coalesce(h.number, 0) as heard
from
  taken t
  left join progress_heard h on h.tenant_id = $n
  and h.experiment_id = $n
  and h.worker = t.worker;

/* drop-batches */
delete from progress_batch
where
  tenant_id = $n
  and experiment_id = $n;
