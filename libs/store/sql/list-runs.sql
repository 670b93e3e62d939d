select
from run r
where r.tenant_id = $n
and r.experiment_id = $n
and r.run_id = $n
and r.name_hash = any($n::bytea[])
and exists ( select
from series v
where v.tenant_id = $n
and v.run_id = r.run_id
and v.tag_hash = any($n::bytea[]));

select
from run r
where r.tenant_id = $n
and r.experiment_id = $n
and r.run_id = $n
and true;

with keyed as ( select b.*, "b"."name" collate "C" as "k0"
from ( select r.run_id, r.name, s.events, s.start_time, s.last_time, s.status as status, s.group_name as group_name, s.hparams as hparams, r.labels, r.notes, r.archived_at is not null as archived
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and r.deleted_at is null
and s.events > 0
and true ) b ) select b.run_id, b.name, b.events, b.start_time, b.last_time, b.status, b.group_name, b.hparams, b.labels, b.notes, b.archived
from keyed b
where coalesce("b"."name" = $n::text, false)
and true
order by "b"."k0" asc nulls last
limit $n;

with keyed as ( select b.*, "b"."name" collate "C" as "k0"
from ( select r.run_id, r.name, s.events, s.start_time, s.last_time, s.status as status, s.group_name as group_name, s.hparams as hparams, r.labels, r.notes, r.archived_at is not null as archived
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and r.deleted_at is null
and s.events > 0
and true ) b ) select b.run_id, b.name, b.events, b.start_time, b.last_time, b.status, b.group_name, b.hparams, b.labels, b.notes, b.archived
from keyed b
where true
and true
order by "b"."k0" asc nulls last
limit $n;
