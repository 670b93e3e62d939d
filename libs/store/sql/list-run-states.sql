select r.run_id, r.name, s.status, s.start_time, s.last_time
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and r.deleted_at is null
and s.events > 0
order by r.run_id;
