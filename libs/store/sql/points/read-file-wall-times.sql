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
  (
    select
      t.file_id,
      t.wall_time as first,
      t.wall_time as last
    from
      session_start t
    where
      t.tenant_id = $n
      and t.run_id = $n
    union all
    select
      v.*
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
      ) v
    where
      s.tenant_id = $n
      and s.run_id = $n
  ) p
group by
  p.file_id;

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
