-- returns series_id bigint, tag text, plugin text, data_class text, runs bigint, display_name text, description text, superseded_points numeric
/* list-tags-read-series */
select
  min(s.series_id) as series_id,
  s.tag,
  s.plugin,
  s.data_class,
  count(distinct s.run_id) as runs,
  max(s.display_name) as display_name,
  max(s.description) as description,
  sum(v.superseded_points) as superseded_points
from
  series s
  join run r on r.tenant_id = $n
  and r.run_id = s.run_id
  left join series_stats v on v.tenant_id = $n
  and v.series_id = s.series_id
where
  s.tenant_id = $n
  and s.experiment_id = $n
  and s.listed
  and r.deleted_at is null
  and (
    $n
    or r.name_hash = any ($n::bytea[])
  )
  and (
    $n
    or s.tag_hash = any ($n::bytea[])
  )
  and (s.tag collate "C", s.plugin collate "C", s.data_class collate "C") > ($n::text, $n::text, $n::text)
group by
  s.tag,
  s.plugin,
  s.data_class
order by
  s.tag collate "C",
  s.plugin collate "C",
  s.data_class collate "C"
limit
  $n;

-- returns series_id bigint, tag text, plugin text, data_class text, runs bigint, display_name text, description text, superseded_points numeric
/* list-tags-read-series */
select
  min(s.series_id) as series_id,
  s.tag,
  s.plugin,
  s.data_class,
  count(distinct s.run_id) as runs,
  max(s.display_name) as display_name,
  max(s.description) as description,
  sum(v.superseded_points) as superseded_points
from
  series s
  join run r on r.tenant_id = $n
  and r.run_id = s.run_id
  left join series_stats v on v.tenant_id = $n
  and v.series_id = s.series_id
where
  s.tenant_id = $n
  and s.experiment_id = $n
  and s.listed
  and r.deleted_at is null
  and (
    $n
    or r.name_hash = any ($n::bytea[])
  )
  and (
    $n
    or s.tag_hash = any ($n::bytea[])
  )
  and true
group by
  s.tag,
  s.plugin,
  s.data_class
order by
  s.tag collate "C",
  s.plugin collate "C",
  s.data_class collate "C"
limit
  $n;

-- returns tag text, plugin text, data_class text
/* list-tags-series */
select
  s.tag,
  s.plugin,
  s.data_class
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
