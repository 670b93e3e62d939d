-- returns file_id bigint, first float8, last float8
/* read-file-wall-times */
select
  p.file_id,
  min(p.first) filter (
    where
      p.first between '-1.7976931348623157e308'::float8 and '1.7976931348623157e308'::float8
  ) as first,
  max(p.last) filter (
    where
      p.last between '-1.7976931348623157e308'::float8 and '1.7976931348623157e308'::float8
  ) as last
from
  series s,
  lateral (
    select
      c.file_id,
      c.min_wall as first,
      c.max_wall as last
    from
      scalar_chunk c
    where
      c.tenant_id = $n
      and c.series_id = s.series_id
    union all
    select
      v.file_id,
      v.wall_time,
      v.wall_time
    from
      tensor_value v
    where
      v.tenant_id = $n
      and v.series_id = s.series_id
    union all
    select
      b.file_id,
      b.wall_time,
      b.wall_time
    from
      blob_sequence_value b
    where
      b.tenant_id = $n
      and b.series_id = s.series_id
  ) p
where
  s.tenant_id = $n
  and s.run_id = $n
group by
  p.file_id;

-- returns points numeric, bytes numeric
/* remove-file-points */
with
  own as (
    select
      series_id
    from
      series
    where
      tenant_id = $n
      and run_id = $n
  ),
  chunks as (
    delete from scalar_chunk c using own
    where
      c.tenant_id = $n
      and c.series_id = own.series_id
      and c.file_id = any ($n::bigint[])
    returning
      c.count::bigint as points,
      0::bigint as bytes
  ),
  tensors as (
    delete from tensor_value v using own
    where
      v.tenant_id = $n
      and v.series_id = own.series_id
      and v.file_id = any ($n::bigint[])
    returning
      1::bigint as points,
      v.bytes::bigint as bytes
  ),
  blobs as (
    delete from blob_sequence_value b using own
    where
      b.tenant_id = $n
      and b.series_id = own.series_id
      and b.file_id = any ($n::bigint[])
    returning
      1::bigint as points,
      (
        select
          coalesce(sum(n), 0)
        from
          unnest(b.blob_bytes) n
      )::bigint as bytes
  ),
  starts as (
    delete from session_start t
    where
      t.tenant_id = $n
      and t.run_id = $n
      and t.file_id = any ($n::bigint[])
    returning
      1
  )
select
  coalesce(sum(points), 0) as points,
  coalesce(sum(bytes), 0) as bytes
from
  (
    select
      *
    from
      chunks
    union all
    select
      *
    from
      tensors
    union all
    select
      *
    from
      blobs
  ) g;

-- returns run_id bigint
/* request-remark */
update run_work w
set
  remark = true,
  retry_at = least(retry_at, now())
from
  experiment e
where
  w.tenant_id = $n
  and w.experiment_id = $n
  and (
    $n::bigint is null
    or w.run_id = $n::bigint
  )
  and e.tenant_id = $n
  and e.experiment_id = w.experiment_id
  and e.deleted_at is null
  and e.snapshot_of is null
returning
  w.run_id;

-- returns series_id bigint
/* read-series-with-points */
select
  s.series_id
from
  unnest($n::bigint[]) as s (series_id)
where
  exists (
    select
    from
      scalar_chunk c
    where
      c.tenant_id = $n
      and c.series_id = s.series_id
  )
  or exists (
    select
    from
      tensor_value v
    where
      v.tenant_id = $n
      and v.series_id = s.series_id
  )
  or exists (
    select
    from
      blob_sequence_value b
    where
      b.tenant_id = $n
      and b.series_id = s.series_id
  );

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

/* remark-values */
update "blob_sequence_value" v
set
  superseded = u.superseded,
  series_id = u.to_series
from
  unnest($n::bigint[], $n::bigint[], $n::bigint[], $n::bigint[], $n::boolean[]) as u (from_series, file_id, ordinal, to_series, superseded)
where
  v.tenant_id = $n
  and v.series_id = u.from_series
  and v.file_id = u.file_id
  and v.ordinal = u.ordinal;

/* remark-values */
update "tensor_value" v
set
  superseded = u.superseded,
  series_id = u.to_series
from
  unnest($n::bigint[], $n::bigint[], $n::bigint[], $n::bigint[], $n::boolean[]) as u (from_series, file_id, ordinal, to_series, superseded)
where
  v.tenant_id = $n
  and v.series_id = u.from_series
  and v.file_id = u.file_id
  and v.ordinal = u.ordinal;

/* settle-remark */
update run_work
set
  remark = false
where
  tenant_id = $n
  and run_id = $n;
