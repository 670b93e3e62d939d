-- returns ?column? integer
/* remove-files-event-file */
select
  1
from
  event_file
where
  tenant_id = $n
  and file_id = any ($n::bigint[])
order by
  file_id
for update;

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

-- returns durable_offset bigint, dropped_bytes bigint, original_key text
/* remove-files-delete-event-file */
delete from event_file f
where
  f.tenant_id = $n
  and f.file_id = any ($n::bigint[])
  and not exists (
    select
      1
    from
      segment s
    where
      s.tenant_id = $n
      and s.file_id = f.file_id
  )
returning
  f.durable_offset,
  f.dropped_bytes,
  f.original_key;

-- returns file_id bigint
/* list-run-file-ids */
select
  file_id
from
  event_file
where
  tenant_id = $n
  and run_id = $n
order by
  file_id
limit
  $n;

-- returns object_key text, length integer, kept boolean, bytes integer
/* remove-segments */
delete from segment s using (
  select
    d.file_id,
    d."offset"
  from
    segment d
  where
    d.tenant_id = $n
    and d.file_id = any ($n::bigint[])
  limit
    $n
) d
where
  s.tenant_id = $n
  and s.file_id = d.file_id
  and s."offset" = d."offset"
returning
  s.object_key,
  s.length,
  s.epoch is null as kept,
  coalesce(octet_length(s.body), 0) as bytes;

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

-- returns run_id bigint
/* list-run-ids */
select
  run_id
from
  run
where
  tenant_id = $n
  and experiment_id = $n
order by
  run_id
limit
  $n;

/* remove-files-experiment-epoch */
update experiment_epoch
set
  acknowledged_bytes = acknowledged_bytes - $n,
  stored_bytes = stored_bytes - $n
where
  tenant_id = $n
  and experiment_id = $n;

/* remove-run-run */
delete from run
where
  tenant_id = $n
  and run_id = $n;
