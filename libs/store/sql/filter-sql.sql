select set_config('statement_timeout', $n, true);

select set_config('statement_timeout', '0', true);

with keyed as ( select b.*, "b"."name" collate "C" as "k0"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status as status, s.group_name as group_name, s.hparams as hparams, r.labels, r.notes, r.archived_at is not null as archived
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and r.deleted_at is null
and s.events > 0
and true ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams, b.labels, b.notes, b.archived
from keyed b
where (coalesce("b"."name" ~ $n::text, false)
and (not coalesce("b"."status" = $n::text, false)))
and true
order by "b"."k0" asc nulls last
limit $n;

with keyed as ( select b.*, "b"."name" collate "C" as "k0"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status as status, s.group_name as group_name, s.hparams as hparams, r.labels, r.notes, r.archived_at is not null as archived
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and r.deleted_at is null
and s.events > 0
and true ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams, b.labels, b.notes, b.archived
from keyed b
where (not coalesce("b"."name" ~ $n::text, false))
and true
order by "b"."k0" asc nulls last
limit $n;

with keyed as ( select b.*, "b"."name" collate "C" as "k0"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status as status, s.group_name as group_name, s.hparams as hparams, r.labels, r.notes, r.archived_at is not null as archived
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and r.deleted_at is null
and s.events > 0
and true ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams, b.labels, b.notes, b.archived
from keyed b
where coalesce("b"."name" ~ $n::text, false)
and true
order by "b"."k0" asc nulls last
limit $n;

with keyed as ( select b.*, "b"."name" collate "C" as "k0"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status as status, s.group_name as group_name, s.hparams as hparams, r.labels, r.notes, r.archived_at is not null as archived
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and r.deleted_at is null
and s.events > 0
and true ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams, b.labels, b.notes, b.archived
from keyed b
where coalesce(case when jsonb_typeof(b.hparams -> $n::text) = 'string' then (b.hparams -> $n::text #>> '{}') ~ $n::text end, false)
and true
order by "b"."k0" asc nulls last
limit $n;
