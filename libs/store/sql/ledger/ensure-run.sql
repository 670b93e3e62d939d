-- returns run_id bigint
/* ensure-run */
insert into
  run (tenant_id, run_id, experiment_id, name, name_hash)
overriding system value
values
  ($n, …)
on conflict do nothing
returning
  run_id;

-- returns run_id bigint, deleted_ms_ago numeric, is_other_file boolean
/* find-run */
select
  r.run_id,
  extract(
    epoch
    from
      now() - d.deleted_at
  ) * 1000 as deleted_ms_ago,
  $n::boolean
  and not $n::bytea = any (d.file_hashes) as is_other_file
from
  experiment e
  left join run r on r.tenant_id = e.tenant_id
  and r.experiment_id = e.experiment_id
  and r.name_hash = $n
  left join deleted_run d on d.tenant_id = e.tenant_id
  and d.experiment_id = e.experiment_id
  and d.name_hash = $n
where
  e.tenant_id = $n
  and e.experiment_id = $n
  and e.deleted_at is null;

/* ensure-run-deleted-run */
delete from deleted_run
where
  tenant_id = $n
  and experiment_id = $n
  and name_hash = $n;

/* ensure-run-run-work */
insert into
  run_work (tenant_id, run_id, experiment_id)
values
  ($n, …);
