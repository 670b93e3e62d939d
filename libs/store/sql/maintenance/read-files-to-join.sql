with listed as materialized ( select f.tenant_id, f.file_id, f.experiment_id, f.run_id, f.completed_at
from event_file f
where f.completed_bytes > f.joined_bytes
and f.dropped_bytes = 0
and (f.tenant_id, f.file_id) > ($n::uuid, $n::bigint)
order by f.tenant_id, f.file_id
limit $n ) select l.tenant_id, l.file_id, l.completed_at <= now() - make_interval(secs => $n)
and p.file_id is null as ready
from listed l
left join lateral ( select p.file_id
from pending_segment p
where p.tenant_id = l.tenant_id
and p.experiment_id = l.experiment_id
and p.run_id = l.run_id
and p.file_id = l.file_id
limit 1) p on true
order by l.tenant_id, l.file_id;
