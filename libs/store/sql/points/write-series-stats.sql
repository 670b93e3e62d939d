-- returns series_id bigint
/* prepared: refresh-scalar-stats */
with
  refreshed as (
    update series_stats s
    set
      points = c.points,
      superseded_points = c.superseded,
      nan_count = c.nans,
      first_step = c.first_step,
      last_step = c.last_step,
      min_value = c.min_value,
      max_value = c.max_value,
      last_value = l.last_value,
      last_wall_time = l.last_wall
    from
      (
        select
          series_id,
          coalesce(
            sum(count) filter (
              where
                not superseded
            ),
            0
          ) as points,
          coalesce(
            sum(count) filter (
              where
                superseded
            ),
            0
          ) as superseded,
          coalesce(
            sum(nan_count) filter (
              where
                not superseded
            ),
            0
          ) as nans,
          count(*) filter (
            where
              not superseded
          ) as chunks,
          min(first_step) filter (
            where
              not superseded
          ) as first_step,
          max(last_step) filter (
            where
              not superseded
          ) as last_step,
          min(min_value) filter (
            where
              not superseded
          ) as min_value,
          max(max_value) filter (
            where
              not superseded
          ) as max_value
        from
          scalar_chunk
        where
          tenant_id = $n
          and series_id = any ($n::bigint[])
        group by
          series_id
      ) c
      left join lateral (
        select
          last_value,
          last_wall
        from
          scalar_chunk k
        where
          k.tenant_id = $n
          and k.series_id = c.series_id
          and not k.superseded
        order by
          k.first_step desc
        limit
          1
      ) l on true
    where
      s.tenant_id = $n
      and s.series_id = c.series_id
      and s.series_id = any ($n::bigint[])
    returning
      s.series_id,
      c.chunks
  )
select
  series_id
from
  refreshed
where
  chunks > $n;

/* prepared: add-series-stats */
insert into
  series_stats as s (
    tenant_id,
    series_id,
    points,
    superseded_points,
    invalid_points,
    mismatched_points,
    rounded_points,
    nan_count,
    first_step,
    last_step,
    last_wall_time,
    max_length
  )
select
  $n::uuid,
  d.*
from
  unnest(
    $n::bigint[],
    $n::bigint[],
    $n::bigint[],
    $n::bigint[],
    $n::bigint[],
    $n::bigint[],
    $n::bigint[],
    $n::bigint[],
    $n::bigint[],
    $n::float8[],
    $n::bigint[]
  ) as d
on conflict (tenant_id, series_id) do update
set
  points = s.points + excluded.points,
  superseded_points = s.superseded_points + excluded.superseded_points,
  invalid_points = s.invalid_points + excluded.invalid_points,
  mismatched_points = s.mismatched_points + excluded.mismatched_points,
  rounded_points = s.rounded_points + excluded.rounded_points,
  first_step = least(s.first_step, excluded.first_step),
  last_wall_time = case
    when excluded.last_step is not null
    and (
      s.last_step is null
      or excluded.last_step >= s.last_step
    ) then excluded.last_wall_time
    else s.last_wall_time
  end,
  last_step = greatest(s.last_step, excluded.last_step),
  max_length = greatest(s.max_length, excluded.max_length);

/* refresh-value-stats */
update series_stats s
set
  points = v.points,
  superseded_points = v.superseded,
  first_step = v.first_step,
  last_step = v.last_step,
  last_wall_time = v.last_wall
from
  (
    select
      series_id,
      count(*) filter (
        where
          not superseded
      ) as points,
      count(*) filter (
        where
          superseded
      ) as superseded,
      min(step) filter (
        where
          not superseded
      ) as first_step,
      max(step) filter (
        where
          not superseded
      ) as last_step,
      (
        array_agg(
          wall_time
          order by
            step desc
        ) filter (
          where
            not superseded
        )
      ) [1] as last_wall
    from
      "blob_sequence_value"
    where
      tenant_id = $n
      and series_id = any ($n::bigint[])
    group by
      series_id
  ) v
where
  s.tenant_id = $n
  and s.series_id = v.series_id;

/* refresh-value-stats */
update series_stats s
set
  points = v.points,
  superseded_points = v.superseded,
  first_step = v.first_step,
  last_step = v.last_step,
  last_wall_time = v.last_wall
from
  (
    select
      series_id,
      count(*) filter (
        where
          not superseded
      ) as points,
      count(*) filter (
        where
          superseded
      ) as superseded,
      min(step) filter (
        where
          not superseded
      ) as first_step,
      max(step) filter (
        where
          not superseded
      ) as last_step,
      (
        array_agg(
          wall_time
          order by
            step desc
        ) filter (
          where
            not superseded
        )
      ) [1] as last_wall
    from
      "tensor_value"
    where
      tenant_id = $n
      and series_id = any ($n::bigint[])
    group by
      series_id
  ) v
where
  s.tenant_id = $n
  and s.series_id = v.series_id;
