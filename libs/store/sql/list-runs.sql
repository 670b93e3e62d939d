select
from run r
where r.tenant_id = $n
and r.experiment_id = $n
and r.run_id = $n;

with keyed as ( select b.*, "b"."name" collate "C" as "k0"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status, s.group_name, s.hparams
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and r.deleted_at is null
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where (coalesce("b"."status" = $n::text, false)
or coalesce("b"."status" = $n::text, false))
and true
order by "b"."k0" asc nulls last
limit $n;

with keyed as ( select b.*, "b"."name" collate "C" as "k0"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status, s.group_name, s.hparams
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and r.deleted_at is null
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where (coalesce(case when jsonb_typeof(b.hparams -> $n::text) = 'number'
or (b.hparams -> $n::text #>> '{}') in ('NaN', 'Infinity', '-Infinity') then nullif((b.hparams -> $n::text #>> '{}')::float8, 'NaN'::float8) > nullif($n::float8, 'NaN'::float8) end, false)
or coalesce(case when jsonb_typeof(b.hparams -> $n::text) = 'number'
or (b.hparams -> $n::text #>> '{}') in ('NaN', 'Infinity', '-Infinity') then nullif((b.hparams -> $n::text #>> '{}')::float8, 'NaN'::float8) > nullif($n::float8, 'NaN'::float8) end, false))
and true
order by "b"."k0" asc nulls last
limit $n;
