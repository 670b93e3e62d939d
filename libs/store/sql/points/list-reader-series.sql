-- returns series_id bigint, run_id bigint, name text, tag text, plugin_content bytea, display_name text, description text, max_step bigint, max_wall float8, max_length text, writer smallint
/* list-reader-series-scalar */
select
  s.series_id,
  s.run_id,
  r.name,
  s.tag,
  s.plugin_content,
  s.display_name,
  s.description,
  p.max_step,
  p.max_wall,
  p.max_length,
  s.writer
from
  series s
  join run r on r.tenant_id = $n
  and r.run_id = s.run_id
  cross join lateral (
    select
      max(v.last_step) as max_step,
      max(v.max_wall) as max_wall,
      null as max_length
    from
      scalar_chunk v
    where
      v.tenant_id = $n
      and v.series_id = s.series_id
      and not v.superseded
  ) p
where
  s.tenant_id = $n
  and s.experiment_id = $n
  and r.deleted_at is null
  and s.data_class = 'scalar'
  and s.listed
  and s.plugin = $n
  and (
    $n::text[] is null
    or r.name = any ($n)
  )
  and (
    $n::bytea[] is null
    or s.tag_hash = any ($n)
  )
order by
  r.name collate "C",
  s.tag collate "C",
  s.writer;

-- returns series_id bigint, run_id bigint, name text, tag text, plugin_content bytea, display_name text, description text, max_step bigint, max_wall float8, max_length text, writer smallint
/* list-reader-series-tensor */
select
  s.series_id,
  s.run_id,
  r.name,
  s.tag,
  s.plugin_content,
  s.display_name,
  s.description,
  p.max_step,
  p.max_wall,
  p.max_length,
  s.writer
from
  series s
  join run r on r.tenant_id = $n
  and r.run_id = s.run_id
  cross join lateral (
    select
      max(v.step) as max_step,
      max(v.wall_time) as max_wall,
      null as max_length
    from
      tensor_value v
    where
      v.tenant_id = $n
      and v.series_id = s.series_id
      and not v.superseded
  ) p
where
  s.tenant_id = $n
  and s.experiment_id = $n
  and r.deleted_at is null
  and s.data_class = 'tensor'
  and s.listed
  and s.plugin = $n
  and (
    $n::text[] is null
    or r.name = any ($n)
  )
  and (
    $n::bytea[] is null
    or s.tag_hash = any ($n)
  )
order by
  r.name collate "C",
  s.tag collate "C",
  s.writer;
