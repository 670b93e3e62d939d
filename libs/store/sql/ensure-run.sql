insert into run (tenant_id, experiment_id, name, name_hash)
values ($n, …)
on conflict (tenant_id, experiment_id, name_hash) do nothing
returning run_id;

insert into run_work (tenant_id, run_id, experiment_id)
values ($n, …);

select r.run_id, d.name_hash is not null as deleted
from experiment e
left join run r on r.tenant_id = e.tenant_id
and r.experiment_id = e.experiment_id
and r.name_hash = $n
left join deleted_run d on d.tenant_id = e.tenant_id
and d.experiment_id = e.experiment_id
and d.name_hash = $n
where e.tenant_id = $n
and e.experiment_id = $n
and e.deleted_at is null;
