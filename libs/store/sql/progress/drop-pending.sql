-- returns ?column? integer
/* drop-pending-segments */
with
  dropped as (
    delete from pending_segment
    where
      tenant_id = $n
      and experiment_id = $n
      and run_id = any ($n::bigint[])
    returning
      1
  )
insert into
  progress_batch (tenant_id, experiment_id, worker, number, changes)
select
  $n::uuid,
  $n::text,
  $n::text,
  $n::bigint,
  '[]'::json
where
  exists (
    select
    from
      dropped
  )
returning
  1;
