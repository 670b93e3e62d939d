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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where (coalesce(case when jsonb_typeof(b.hparams -> $n::text) = 'number'
or (b.hparams -> $n::text #>> '{}') in ('NaN', 'Infinity', '-Infinity') then nullif((b.hparams -> $n::text #>> '{}')::float8, 'NaN'::float8) > nullif($n::float8, 'NaN'::float8) end, false)
or coalesce(case when jsonb_typeof(b.hparams -> $n::text) = 'number'
or (b.hparams -> $n::text #>> '{}') in ('NaN', 'Infinity', '-Infinity') then nullif((b.hparams -> $n::text #>> '{}')::float8, 'NaN'::float8) > nullif($n::float8, 'NaN'::float8) end, false))
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where (coalesce(nullif("b"."start_time", 'NaN'::float8) > nullif($n::float8, 'NaN'::float8), false)
and coalesce(nullif("b"."last_time", 'NaN'::float8) <= nullif($n::float8, 'NaN'::float8), false))
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where (coalesce(nullif(( select "v"."last_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar'), 'NaN'::float8) >= nullif($n::float8, 'NaN'::float8), false)
and coalesce(case when jsonb_typeof(b.hparams -> $n::text) = 'number'
or (b.hparams -> $n::text #>> '{}') in ('NaN', 'Infinity', '-Infinity') then nullif((b.hparams -> $n::text #>> '{}')::float8, 'NaN'::float8) < nullif($n::float8, 'NaN'::float8) end, false))
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where (not coalesce(( select "v"."last_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar') = $n::float8, false))
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where (not coalesce(case when jsonb_typeof(b.hparams -> $n::text) = 'string' then (b.hparams -> $n::text #>> '{}') = $n::text end, false))
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where (not coalesce(nullif(( select "v"."last_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar'), 'NaN'::float8) >= nullif($n::float8, 'NaN'::float8), false))
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where coalesce("b"."name" = $n::text, false)
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where coalesce("b"."start_time" = $n::float8, false)
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where coalesce(( select "v"."last_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar') = $n::float8, false)
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where coalesce(( select "v"."max_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar') = $n::float8, false)
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where coalesce(case when jsonb_typeof(b.hparams -> $n::text) = 'boolean' then (b.hparams -> $n::text #>> '{}') = $n end, false)
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where coalesce(case when jsonb_typeof(b.hparams -> $n::text) = 'number'
or (b.hparams -> $n::text #>> '{}') in ('NaN', 'Infinity', '-Infinity') then (b.hparams -> $n::text #>> '{}')::float8 = $n::float8 end, false)
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where coalesce(case when jsonb_typeof(b.hparams -> $n::text) = 'number'
or (b.hparams -> $n::text #>> '{}') in ('NaN', 'Infinity', '-Infinity') then nullif((b.hparams -> $n::text #>> '{}')::float8, 'NaN'::float8) >= nullif($n::float8, 'NaN'::float8) end, false)
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where coalesce(case when jsonb_typeof(b.hparams -> $n::text) = 'string' then (b.hparams -> $n::text #>> '{}') = $n::text end, false)
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where coalesce(coalesce((select l.value
from unnest($n::int8[], $n::float8[]) as l(run_id, value)
where l.run_id = b.run_id), ( select "v"."last_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar')) = $n::float8, false)
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where coalesce(nullif(( select "v"."last_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar'), 'NaN'::float8) < nullif($n::float8, 'NaN'::float8), false)
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where coalesce(nullif(( select "v"."last_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar'), 'NaN'::float8) >= nullif($n::float8, 'NaN'::float8), false)
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where coalesce(nullif(( select "v"."min_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar'), 'NaN'::float8) < nullif($n::float8, 'NaN'::float8), false)
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where coalesce(nullif(coalesce((select l.value
from unnest($n::int8[], $n::float8[]) as l(run_id, value)
where l.run_id = b.run_id), ( select "v"."max_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar')), 'NaN'::float8) >= nullif($n::float8, 'NaN'::float8), false)
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where coalesce(nullif(coalesce((select l.value
from unnest($n::int8[], $n::float8[]) as l(run_id, value)
where l.run_id = b.run_id), ( select "v"."min_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar')), 'NaN'::float8) < nullif($n::float8, 'NaN'::float8), false)
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where coalesce(position(lower($n::text) in lower("b"."name")) > 0, false)
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
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where true
and true
order by "b"."k0" asc nulls last
limit $n;

with keyed as ( select b.*, "b"."status" collate "C" as "k0", "b"."name" collate "C" as "k1"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status, s.group_name, s.hparams
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
join keyed a on a.run_id = $n
where true
and (("a"."k0" is not null
and ("b"."k0" < "a"."k0"
or "b"."k0" is null))
or ("b"."k0" is not distinct
from "a"."k0"
and "a"."k1" is not null
and ("b"."k1" < "a"."k1"
or "b"."k1" is null)))
order by "b"."k0" desc nulls last, "b"."k1" desc nulls last
limit $n;

with keyed as ( select b.*, "b"."status" collate "C" as "k0", "b"."name" collate "C" as "k1"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status, s.group_name, s.hparams
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where true
and true
order by "b"."k0" desc nulls last, "b"."k1" desc nulls last
limit $n;

with keyed as ( select b.*, b.hparams -> $n::text as "k0", "b"."name" collate "C" as "k1"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status, s.group_name, s.hparams
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
join keyed a on a.run_id = $n
where true
and (("a"."k0" is not null
and ("b"."k0" > "a"."k0"
or "b"."k0" is null))
or ("b"."k0" is not distinct
from "a"."k0"
and "a"."k1" is not null
and ("b"."k1" > "a"."k1"
or "b"."k1" is null)))
order by "b"."k0" asc nulls last, "b"."k1" asc nulls last
limit $n;

with keyed as ( select b.*, b.hparams -> $n::text as "k0", "b"."name" collate "C" as "k1"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status, s.group_name, s.hparams
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where true
and true
order by "b"."k0" asc nulls last, "b"."k1" asc nulls last
limit $n;

with keyed as ( select b.*, nullif("b"."start_time", 'NaN'::float8) as "k0", "b"."name" collate "C" as "k1"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status, s.group_name, s.hparams
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
join keyed a on a.run_id = $n
where true
and (("a"."k0" is not null
and ("b"."k0" < "a"."k0"
or "b"."k0" is null))
or ("b"."k0" is not distinct
from "a"."k0"
and "a"."k1" is not null
and ("b"."k1" > "a"."k1"
or "b"."k1" is null)))
order by "b"."k0" desc nulls last, "b"."k1" asc nulls last
limit $n;

with keyed as ( select b.*, nullif("b"."start_time", 'NaN'::float8) as "k0", "b"."name" collate "C" as "k1"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status, s.group_name, s.hparams
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
join keyed a on a.run_id = $n
where true
and (("a"."k0" is not null
and ("b"."k0" > "a"."k0"
or "b"."k0" is null))
or ("b"."k0" is not distinct
from "a"."k0"
and "a"."k1" is not null
and ("b"."k1" > "a"."k1"
or "b"."k1" is null)))
order by "b"."k0" asc nulls last, "b"."k1" asc nulls last
limit $n;

with keyed as ( select b.*, nullif("b"."start_time", 'NaN'::float8) as "k0", "b"."name" collate "C" as "k1"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status, s.group_name, s.hparams
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where true
and true
order by "b"."k0" asc nulls last, "b"."k1" asc nulls last
limit $n;

with keyed as ( select b.*, nullif("b"."start_time", 'NaN'::float8) as "k0", "b"."name" collate "C" as "k1"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status, s.group_name, s.hparams
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where true
and true
order by "b"."k0" desc nulls last, "b"."k1" asc nulls last
limit $n;

with keyed as ( select b.*, nullif(( select "v"."last_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar'), 'NaN'::float8) as "k0", "b"."name" collate "C" as "k1"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status, s.group_name, s.hparams
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
join keyed a on a.run_id = $n
where true
and (("a"."k0" is not null
and ("b"."k0" < "a"."k0"
or "b"."k0" is null))
or ("b"."k0" is not distinct
from "a"."k0"
and "a"."k1" is not null
and ("b"."k1" > "a"."k1"
or "b"."k1" is null)))
order by "b"."k0" desc nulls last, "b"."k1" asc nulls last
limit $n;

with keyed as ( select b.*, nullif(( select "v"."last_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar'), 'NaN'::float8) as "k0", "b"."name" collate "C" as "k1"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status, s.group_name, s.hparams
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
join keyed a on a.run_id = $n
where true
and (("a"."k0" is not null
and ("b"."k0" > "a"."k0"
or "b"."k0" is null))
or ("b"."k0" is not distinct
from "a"."k0"
and "a"."k1" is not null
and ("b"."k1" > "a"."k1"
or "b"."k1" is null)))
order by "b"."k0" asc nulls last, "b"."k1" asc nulls last
limit $n;

with keyed as ( select b.*, nullif(( select "v"."last_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar'), 'NaN'::float8) as "k0", "b"."name" collate "C" as "k1"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status, s.group_name, s.hparams
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where true
and true
order by "b"."k0" asc nulls last, "b"."k1" asc nulls last
limit $n;

with keyed as ( select b.*, nullif(( select "v"."last_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar'), 'NaN'::float8) as "k0", "b"."name" collate "C" as "k1"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status, s.group_name, s.hparams
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where true
and true
order by "b"."k0" desc nulls last, "b"."k1" asc nulls last
limit $n;

with keyed as ( select b.*, nullif(coalesce((select l.value
from unnest($n::int8[], $n::float8[]) as l(run_id, value)
where l.run_id = b.run_id), ( select "v"."last_value"
from series s
join series_stats v on v.tenant_id = $n
and v.series_id = s.series_id
where s.tenant_id = $n
and s.run_id = b.run_id
and s.tag_hash = $n
and not s.twin
and s.data_class = 'scalar')), 'NaN'::float8) as "k0", "b"."name" collate "C" as "k1"
from ( select r.run_id, r.name, s.start_time, s.last_time, s.status, s.group_name, s.hparams
from run r
join run_state s on s.tenant_id = $n
and s.run_id = r.run_id
where r.tenant_id = $n
and r.experiment_id = $n
and s.events > 0 ) b ) select b.run_id, b.name, b.start_time, b.last_time, b.status, b.group_name, b.hparams
from keyed b
where true
and true
order by "b"."k0" desc nulls last, "b"."k1" asc nulls last
limit $n;
