-- returns name text, tag text, twin boolean, writer smallint
/* list-series */
select
  r.name,
  s.tag,
  s.twin,
  s.writer
from
  series s
  join run r on r.tenant_id = $n
  and r.run_id = s.run_id
where
  s.tenant_id = $n
  and s.experiment_id = $n
  and s.series_id = $n
  and (
    $n
    or r.name_hash = any ($n::bytea[])
  )
  and (
    $n
    or s.tag_hash = any ($n::bytea[])
  );

-- returns name text, tag text, twin boolean, writer smallint
/* list-series */
select
  r.name,
  s.tag,
  s.twin,
  s.writer
from
  series s
  join run r on r.tenant_id = $n
  and r.run_id = s.run_id
where
  s.tenant_id = $n
  and s.experiment_id = $n
  and s.series_id = $n
  and (
    $n
    or r.name_hash = any ($n::bytea[])
  )
  and (
    $n
    or s.tag_hash = any ($n::bytea[])
  )
  and (
    $n
    or s.run_id = any ($n::int8[])
  );

-- returns series_id bigint, run_id bigint, name text, tag text, writer smallint, data_class text, listed boolean, plugin text, plugin_content bytea, display_name text, description text, points bigint, superseded_points bigint, invalid_points bigint, mismatched_points bigint, rounded_points bigint, first_step bigint, last_step bigint, last_wall_time float8, min_value float8, max_value float8, last_value float8, nan_count bigint, max_length bigint
/* list-series-series */
select
  s.series_id,
  s.run_id,
  r.name,
  s.tag,
  s.writer,
  s.data_class,
  s.listed,
  s.plugin,
  s.plugin_content,
  s.display_name,
  s.description,
  v.points,
  v.superseded_points,
  v.invalid_points,
  v.mismatched_points,
  v.rounded_points,
  v.first_step,
  v.last_step,
  v.last_wall_time,
  v.min_value,
  v.max_value,
  v.last_value,
  v.nan_count,
  v.max_length
from
  series s
  join run r on r.tenant_id = $n
  and r.run_id = s.run_id
  left join series_stats v on v.tenant_id = $n
  and v.series_id = s.series_id
where
  s.tenant_id = $n
  and s.experiment_id = $n
  and r.deleted_at is null
  and (
    $n::boolean
    or s.listed
  )
  and (
    $n
    or r.name_hash = any ($n::bytea[])
  )
  and (
    $n
    or s.tag_hash = any ($n::bytea[])
  )
  and (
    $n
    or s.plugin = any ($n::text[])
  )
  and (r.name collate "C", s.tag collate "C", s.twin, s.writer) > ($n::text, $n::text, $n::boolean, $n::smallint)
order by
  r.name collate "C",
  s.tag collate "C",
  s.twin,
  s.writer
limit
  $n;

-- returns series_id bigint, run_id bigint, name text, tag text, writer smallint, data_class text, listed boolean, plugin text, plugin_content bytea, display_name text, description text, points bigint, superseded_points bigint, invalid_points bigint, mismatched_points bigint, rounded_points bigint, first_step bigint, last_step bigint, last_wall_time float8, min_value float8, max_value float8, last_value float8, nan_count bigint, max_length bigint
/* list-series-series */
select
  s.series_id,
  s.run_id,
  r.name,
  s.tag,
  s.writer,
  s.data_class,
  s.listed,
  s.plugin,
  s.plugin_content,
  s.display_name,
  s.description,
  v.points,
  v.superseded_points,
  v.invalid_points,
  v.mismatched_points,
  v.rounded_points,
  v.first_step,
  v.last_step,
  v.last_wall_time,
  v.min_value,
  v.max_value,
  v.last_value,
  v.nan_count,
  v.max_length
from
  series s
  join run r on r.tenant_id = $n
  and r.run_id = s.run_id
  left join series_stats v on v.tenant_id = $n
  and v.series_id = s.series_id
where
  s.tenant_id = $n
  and s.experiment_id = $n
  and r.deleted_at is null
  and (
    $n::boolean
    or s.listed
  )
  and (
    $n
    or r.name_hash = any ($n::bytea[])
  )
  and (
    $n
    or s.tag_hash = any ($n::bytea[])
  )
  and (
    $n
    or s.plugin = any ($n::text[])
  )
  and true
order by
  r.name collate "C",
  s.tag collate "C",
  s.twin,
  s.writer
limit
  $n;

-- returns series_id bigint, run_id bigint, name text, tag text, writer smallint, data_class text, listed boolean, plugin text, plugin_content bytea, display_name text, description text, points bigint, superseded_points bigint, invalid_points bigint, mismatched_points bigint, rounded_points bigint, first_step bigint, last_step bigint, last_wall_time float8, min_value float8, max_value float8, last_value float8, nan_count bigint, max_length bigint
/* list-series-series */
select
  s.series_id,
  s.run_id,
  r.name,
  s.tag,
  s.writer,
  s.data_class,
  s.listed,
  s.plugin,
  s.plugin_content,
  s.display_name,
  s.description,
  v.points,
  v.superseded_points,
  v.invalid_points,
  v.mismatched_points,
  v.rounded_points,
  v.first_step,
  v.last_step,
  v.last_wall_time,
  v.min_value,
  v.max_value,
  v.last_value,
  v.nan_count,
  v.max_length
from
  series s
  join run r on r.tenant_id = $n
  and r.run_id = s.run_id
  left join series_stats v on v.tenant_id = $n
  and v.series_id = s.series_id
where
  s.tenant_id = $n
  and s.experiment_id = $n
  and r.deleted_at is null
  and (
    $n::boolean
    or s.listed
  )
  and (
    $n
    or r.name_hash = any ($n::bytea[])
  )
  and (
    $n
    or s.tag_hash = any ($n::bytea[])
  )
  and (
    $n
    or s.run_id = any ($n::int8[])
  )
  and (
    $n
    or s.plugin = any ($n::text[])
  )
  and (r.name collate "C", s.tag collate "C", s.twin, s.writer) > ($n::text, $n::text, $n::boolean, $n::smallint)
order by
  r.name collate "C",
  s.tag collate "C",
  s.twin,
  s.writer
limit
  $n;

-- returns series_id bigint, run_id bigint, name text, tag text, writer smallint, data_class text, listed boolean, plugin text, plugin_content bytea, display_name text, description text, points bigint, superseded_points bigint, invalid_points bigint, mismatched_points bigint, rounded_points bigint, first_step bigint, last_step bigint, last_wall_time float8, min_value float8, max_value float8, last_value float8, nan_count bigint, max_length bigint
/* list-series-series */
select
  s.series_id,
  s.run_id,
  r.name,
  s.tag,
  s.writer,
  s.data_class,
  s.listed,
  s.plugin,
  s.plugin_content,
  s.display_name,
  s.description,
  v.points,
  v.superseded_points,
  v.invalid_points,
  v.mismatched_points,
  v.rounded_points,
  v.first_step,
  v.last_step,
  v.last_wall_time,
  v.min_value,
  v.max_value,
  v.last_value,
  v.nan_count,
  v.max_length
from
  series s
  join run r on r.tenant_id = $n
  and r.run_id = s.run_id
  left join series_stats v on v.tenant_id = $n
  and v.series_id = s.series_id
where
  s.tenant_id = $n
  and s.experiment_id = $n
  and r.deleted_at is null
  and (
    $n::boolean
    or s.listed
  )
  and (
    $n
    or r.name_hash = any ($n::bytea[])
  )
  and (
    $n
    or s.tag_hash = any ($n::bytea[])
  )
  and (
    $n
    or s.run_id = any ($n::int8[])
  )
  and (
    $n
    or s.plugin = any ($n::text[])
  )
  and true
order by
  r.name collate "C",
  s.tag collate "C",
  s.twin,
  s.writer
limit
  $n;
