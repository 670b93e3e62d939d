-- returns run_id bigint, name text, status text, start_time float8, last_time float8, archived boolean
/* list-run-states */
select
  r.run_id,
  r.name,
  'unknown'::text as status,
  s.start_time,
  s.last_time,
  r.archived_at is not null as archived
from
  run r
  join run_state s on s.tenant_id = $n
  and s.run_id = r.run_id
  left join run_facts f on f.tenant_id = $n
  and f.run_id = r.run_id
where
  r.tenant_id = $n
  and r.experiment_id = $n
  and r.deleted_at is null
  and s.events > 0
  and r.name_hash = any ($n::bytea[])
  and exists (
    select
    from
      series v
    where
      v.tenant_id = $n
      and v.run_id = r.run_id
      and v.tag_hash = any ($n::bytea[])
  )
order by
  r.created_at,
  r.run_id;

-- returns run_id bigint, name text, status text, start_time float8, last_time float8, archived boolean
/* list-run-states */
select
  r.run_id,
  r.name,
  coalesce(f.status, s.status) as status,
  s.start_time,
  s.last_time,
  r.archived_at is not null as archived
from
  run r
  join run_state s on s.tenant_id = $n
  and s.run_id = r.run_id
  left join run_facts f on f.tenant_id = $n
  and f.run_id = r.run_id
where
  r.tenant_id = $n
  and r.experiment_id = $n
  and r.deleted_at is null
  and s.events > 0
  and true
order by
  r.created_at,
  r.run_id;
