/* clear-series-stats */
update series_stats
set
  points = 0,
  superseded_points = 0,
  nan_count = 0,
  first_step = null,
  last_step = null,
  last_wall_time = null,
  min_value = null,
  max_value = null,
  last_value = null,
  max_length = null
where
  tenant_id = $n
  and series_id = $n;

/* refresh-max-length */
update series_stats
set
  max_length = (
    select
      max(cardinality(b.blob_sha256))
    from
      blob_sequence_value b
    where
      b.tenant_id = $n
      and b.series_id = $n
  )
where
  tenant_id = $n
  and series_id = $n;

/* subtract-mismatched */
update series_stats v
set
  mismatched_points = v.mismatched_points - $n
from
  series t,
  series m
where
  v.tenant_id = $n
  and t.tenant_id = $n
  and m.tenant_id = $n
  and t.series_id = $n
  and t.twin
  and m.run_id = t.run_id
  and m.tag_hash = t.tag_hash
  and m.writer = t.writer
  and not m.twin
  and v.series_id = m.series_id;
