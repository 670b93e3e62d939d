-- returns ?column? integer
/* remove-run */
select
  1
from
  run
where
  tenant_id = $n
  and run_id = $n
for update;

-- returns ?column? integer
/* remove-run-event-file */
select
  1
where
  exists (
    select
      1
    from
      event_file
    where
      tenant_id = $n
      and run_id = $n
  )
  or exists (
    select
      1
    from
      series
    where
      tenant_id = $n
      and run_id = $n
  );

-- returns points bigint, bytes bigint
/* remove-run-run-tail */
select
  coalesce(sum(points), 0) as points,
  coalesce(sum(octet_length(body)), 0) as bytes
from
  run_tail
where
  tenant_id = $n
  and run_id = $n;

/* remove-run-run */
delete from run
where
  tenant_id = $n
  and run_id = $n;
