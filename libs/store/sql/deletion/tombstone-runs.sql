-- returns run_id bigint, name text
/* find-runs */
select
  run_id,
  name
from
  run
where
  tenant_id = $n
  and experiment_id = $n
  and deleted_at is null
  and (
    $n
    or name_hash = any ($n::bytea[])
  )
order by
  run_id;

/* tombstone-runs */
update run
set
  deleted_at = now(),
  name_hash = sha256(name_hash || int8send (run_id))
where
  tenant_id = $n
  and run_id = any ($n::bigint[])
  and deleted_at is null;

/* tombstone-runs-deleted-run */
insert into
  deleted_run (tenant_id, experiment_id, name_hash, file_hashes, deleted_at)
select
  $n::uuid,
  r.experiment_id,
  r.name_hash,
  array(
    select distinct
      f.name_hash
    from
      event_file f
    where
      f.tenant_id = $n
      and f.run_id = r.run_id
  ),
  now()
from
  run r
where
  r.tenant_id = $n
  and r.run_id = any ($n::bigint[])
  and r.deleted_at is null
on conflict (tenant_id, experiment_id, name_hash) do update
set
  deleted_at = excluded.deleted_at,
  file_hashes = array(
    select
      unnest(deleted_run.file_hashes)
    union
    select
      unnest(excluded.file_hashes)
  );
