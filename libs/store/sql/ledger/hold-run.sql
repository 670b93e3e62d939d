-- returns ?column? integer
/* hold-run-pending-segment */
select
  1
from
  pending_segment p
where
  p.tenant_id = $n
  and p.experiment_id = $n
  and p.run_id = $n
  and (
    p.epoch <= $n
    or not exists (
      select
      from
        segment s
      where
        s.tenant_id = $n
        and s.file_id = p.file_id
        and s."offset" = p."offset"
        and s.epoch > $n
    )
  )
limit
  1;

-- returns held_by uuid
/* hold-run-run-work */
select
  w.held_by
from
  run_work w
  join run r on r.tenant_id = $n
  and r.run_id = w.run_id
where
  w.tenant_id = $n
  and w.run_id = $n
  and r.deleted_at is null
for update of
  w;

/* hold-run-update-run-work */
update run_work
set
  held_by = $n
where
  tenant_id = $n
  and run_id = $n;
