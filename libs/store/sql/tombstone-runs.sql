insert into deleted_run (tenant_id, experiment_id, name_hash) select $n::uuid, r.experiment_id, r.name_hash
from run r
where r.tenant_id = $n
and r.run_id = any($n::bigint[])
on conflict (tenant_id, experiment_id, name_hash) do nothing;

select run_id, name
from run
where tenant_id = $n
and experiment_id = $n
and deleted_at is null
and ($n
or name_hash = any($n::bytea[]))
order by run_id;

update run
set deleted_at = now()
where tenant_id = $n
and run_id = any($n::bigint[])
and deleted_at is null;
