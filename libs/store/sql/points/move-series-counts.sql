/* move-series-counts */
update series_stats v
set
  invalid_points = v.invalid_points + f.invalid,
  rounded_points = v.rounded_points + f.rounded
from
  (
    select
      coalesce(sum(invalid_points), 0) as invalid,
      coalesce(sum(rounded_points), 0) as rounded
    from
      series_stats
    where
      tenant_id = $n
      and series_id = any ($n::bigint[])
  ) f
where
  v.tenant_id = $n
  and v.series_id = $n
  and f.invalid + f.rounded > 0;

/* recount-mismatched */
update series_stats v
set
  mismatched_points = (
    select
      count(*)
    from
      series t
      join tensor_value n on n.tenant_id = $n
      and n.series_id = t.series_id
    where
      t.tenant_id = $n
      and t.run_id = m.run_id
      and t.tag_hash = m.tag_hash
      and t.twin
      and t.writer = m.writer
  )
from
  series m
where
  v.tenant_id = $n
  and m.tenant_id = $n
  and v.series_id = m.series_id
  and m.series_id = any ($n::bigint[])
  and not m.twin;
