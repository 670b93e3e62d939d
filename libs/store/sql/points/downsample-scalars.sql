-- returns no bigint, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea
/* downsample-scalars-4096 */
with
  ranges as materialized (
    select
      r.no,
      r.bounds::int8[] as bounds,
      (r.bounds::int8[]) [1] as from_step,
      r.to_step
    from
      rows
    from
      (
        unnest(
          (
            select
              $n::text[]
          )
        ),
        unnest(
          (
            select
              $n::int8[]
          )
        )
      ) with ordinality r (bounds, to_step, no)
  )
select
  q.no,
  p.*
from
  rows
from
  (
    unnest(
      (
        select
          $n::int8[]
      )
    ),
    unnest(
      (
        select
          $n::int4[]
      )
    )
  ) with ordinality q (series_id, range_no, no)
  join ranges g on g.no = q.range_no,
  lateral (
    select
      string_agg(int8send (x.step), ''::bytea),
      string_agg(int8send (x.last_step), ''::bytea),
      string_agg(int8send (x.points), ''::bytea),
      string_agg(float8send (x.first), ''::bytea),
      string_agg(float8send (x.last), ''::bytea),
      string_agg(float8send (x.min), ''::bytea),
      string_agg(float8send (x.max), ''::bytea),
      string_agg(int8send (x.min_step), ''::bytea),
      string_agg(int8send (x.max_step), ''::bytea),
      string_agg(float8send (x.wall), ''::bytea)
    from
      (
        select
          c.first_step as step,
          c.last_step,
          c.count::int8 as points,
          c.first_value as first,
          c.last_value as last,
          coalesce(c.min_value, 'NaN') as min,
          coalesce(c.max_value, 'NaN') as max,
          coalesce(c.min_step, c.first_step) as min_step,
          coalesce(c.max_step, c.first_step) as max_step,
          c.first_wall as wall
        from
          scalar_chunk c
        where
          c.tenant_id = $n
          and c.series_id = q.series_id
          and not c.superseded
          and c.first_step >= g.from_step
          and c.first_step <= g.to_step
          and c.last_step <= g.to_step
          and not ((c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952)
      ) x
  ) p;

-- returns no bigint, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea
/* downsample-scalars-512 */
with
  ranges as materialized (
    select
      r.no,
      r.bounds::int8[] as bounds,
      (r.bounds::int8[]) [1] as from_step,
      r.to_step
    from
      rows
    from
      (
        unnest(
          (
            select
              $n::text[]
          )
        ),
        unnest(
          (
            select
              $n::int8[]
          )
        )
      ) with ordinality r (bounds, to_step, no)
  )
select
  q.no,
  p.*
from
  rows
from
  (
    unnest(
      (
        select
          $n::int8[]
      )
    ),
    unnest(
      (
        select
          $n::int4[]
      )
    )
  ) with ordinality q (series_id, range_no, no)
  join ranges g on g.no = q.range_no,
  lateral (
    select
      string_agg(int8send (x.step), ''::bytea),
      string_agg(int8send (x.last_step), ''::bytea),
      string_agg(int8send (x.points), ''::bytea),
      string_agg(float8send (x.first), ''::bytea),
      string_agg(float8send (x.last), ''::bytea),
      string_agg(float8send (x.min), ''::bytea),
      string_agg(float8send (x.max), ''::bytea),
      string_agg(int8send (x.min_step), ''::bytea),
      string_agg(int8send (x.max_step), ''::bytea),
      string_agg(float8send (x.wall), ''::bytea)
    from
      (
        select
          coalesce(x.c512_first_step[x.first_cell + 1], x.first_step + x.width * x.first_cell) as step,
          case
            when x.last_cell + 1 = x.cells then x.last_step
            else coalesce(x.c512_last_step[x.last_cell + 1], x.first_step + x.width * (x.last_cell + 1) - x.stride)
          end as last_step,
          least(x.count - x.first_cell * 512, (x.last_cell - x.first_cell + 1) * 512)::int8 as points,
          coalesce(x.c512_first[x.first_cell + 1]::float8, x.c512_first8[x.first_cell + 1]) as first,
          coalesce(x.c512_last[x.last_cell + 1]::float8, x.c512_last8[x.last_cell + 1]) as last,
          coalesce(x.least4::float8, x.least8, 'NaN') as min,
          coalesce(x.greatest4::float8, x.greatest8, 'NaN') as max,
          coalesce(
            x.c512_min_step[x.min_cell],
            x.first_step + x.width * (x.min_cell - 1) + x.stride * x.c512_min_at[x.min_cell]
          ) as min_step,
          coalesce(
            x.c512_max_step[x.max_cell],
            x.first_step + x.width * (x.max_cell - 1) + x.stride * x.c512_max_at[x.max_cell]
          ) as max_step,
          x.c512_wall[x.first_cell + 1] as wall
        from
          (
            select
              x.*,
              x.first_cell + coalesce(array_position(x.mins4, x.least4), array_position(x.mins8, x.least8)) as min_cell,
              x.first_cell + coalesce(array_position(x.maxs4, x.greatest4), array_position(x.maxs8, x.greatest8)) as max_cell
            from
              (
                select
                  x.*,
                  case
                    when x.last_cell - x.first_cell < 2 then least(x.mins4[1], x.mins4[2])
                    when x.last_cell - x.first_cell < 5 then least(x.mins4[1], x.mins4[2], x.mins4[3], x.mins4[4], x.mins4[5])
                    when x.last_cell - x.first_cell < 9 then least(
                      x.mins4[1],
                      x.mins4[2],
                      x.mins4[3],
                      x.mins4[4],
                      x.mins4[5],
                      x.mins4[6],
                      x.mins4[7],
                      x.mins4[8],
                      x.mins4[9]
                    )
                    else (
                      select
                        min(u)
                      from
                        unnest(x.mins4) u
                    )
                  end as least4,
                  case
                    when x.last_cell - x.first_cell < 2 then greatest(x.maxs4[1], x.maxs4[2])
                    when x.last_cell - x.first_cell < 5 then greatest(x.maxs4[1], x.maxs4[2], x.maxs4[3], x.maxs4[4], x.maxs4[5])
                    when x.last_cell - x.first_cell < 9 then greatest(
                      x.maxs4[1],
                      x.maxs4[2],
                      x.maxs4[3],
                      x.maxs4[4],
                      x.maxs4[5],
                      x.maxs4[6],
                      x.maxs4[7],
                      x.maxs4[8],
                      x.maxs4[9]
                    )
                    else (
                      select
                        max(u)
                      from
                        unnest(x.maxs4) u
                    )
                  end as greatest4,
                  case
                    when x.mins8 is not null then case
                      when x.last_cell - x.first_cell < 2 then least(x.mins8[1], x.mins8[2])
                      when x.last_cell - x.first_cell < 5 then least(x.mins8[1], x.mins8[2], x.mins8[3], x.mins8[4], x.mins8[5])
                      when x.last_cell - x.first_cell < 9 then least(
                        x.mins8[1],
                        x.mins8[2],
                        x.mins8[3],
                        x.mins8[4],
                        x.mins8[5],
                        x.mins8[6],
                        x.mins8[7],
                        x.mins8[8],
                        x.mins8[9]
                      )
                      else (
                        select
                          min(u)
                        from
                          unnest(x.mins8) u
                      )
                    end
                  end as least8,
                  case
                    when x.maxs8 is not null then case
                      when x.last_cell - x.first_cell < 2 then greatest(x.maxs8[1], x.maxs8[2])
                      when x.last_cell - x.first_cell < 5 then greatest(x.maxs8[1], x.maxs8[2], x.maxs8[3], x.maxs8[4], x.maxs8[5])
                      when x.last_cell - x.first_cell < 9 then greatest(
                        x.maxs8[1],
                        x.maxs8[2],
                        x.maxs8[3],
                        x.maxs8[4],
                        x.maxs8[5],
                        x.maxs8[6],
                        x.maxs8[7],
                        x.maxs8[8],
                        x.maxs8[9]
                      )
                      else (
                        select
                          max(u)
                        from
                          unnest(x.maxs8) u
                      )
                    end
                  end as greatest8
                from
                  (
                    select
                      x.*,
                      x.c512_min[x.first_cell + 1:x.last_cell + 1] as mins4,
                      x.c512_max[x.first_cell + 1:x.last_cell + 1] as maxs4,
                      x.c512_min8[x.first_cell + 1:x.last_cell + 1] as mins8,
                      x.c512_max8[x.first_cell + 1:x.last_cell + 1] as maxs8
                    from
                      (
                        select
                          x.*,
                          (
                            case
                              when bucket = x.first_bucket then 0
                              else case
                                when x.stride is not null then (g.bounds[bucket] - x.first_step + x.width - 1) / x.width
                                else width_bucket(g.bounds[bucket] - 1, x.c512_first_step)
                              end
                            end
                          )::int4 as first_cell,
                          (
                            case
                              when bucket = x.last_bucket then x.cells
                              else case
                                when x.stride is not null then (g.bounds[bucket + 1] - x.first_step + x.width - 1) / x.width
                                else width_bucket(g.bounds[bucket + 1] - 1, x.c512_first_step)
                              end
                            end - 1
                          )::int4 as last_cell
                        from
                          (
                            select
                              x.*,
                              generate_series(x.first_bucket, x.last_bucket) as bucket
                            from
                              (
                                select
                                  x.*,
                                  width_bucket(x.first_step, g.bounds) as first_bucket,
                                  width_bucket(
                                    case
                                      when x.cells = 1 then x.first_step
                                      else coalesce(x.c512_first_step[x.cells], x.first_step + x.width * (x.cells - 1))
                                    end,
                                    g.bounds
                                  ) as last_bucket
                                from
                                  (
                                    select
                                      c.first_step,
                                      c.last_step,
                                      c.count,
                                      c.stride,
                                      c.c512_first_step,
                                      c.c512_last_step,
                                      c.c512_min_step,
                                      c.c512_max_step,
                                      c.c512_min_at,
                                      c.c512_max_at,
                                      c.c512_wall,
                                      c.c512_first,
                                      c.c512_last,
                                      c.c512_min,
                                      c.c512_max,
                                      c.c512_first8,
                                      c.c512_last8,
                                      c.c512_min8,
                                      c.c512_max8,
                                      (c.count + 511) / 512 as cells,
                                      case
                                        when c.count > 512 then c.stride * 512
                                        else 1
                                      end as width
                                    from
                                      scalar_chunk c
                                    where
                                      c.tenant_id = $n
                                      and c.series_id = q.series_id
                                      and not c.superseded
                                      and c.first_step >= g.from_step
                                      and c.first_step <= g.to_step
                                      and c.last_step <= g.to_step
                                      and not ((c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952)
                                    offset
                                      0
                                  ) x
                                offset
                                  0
                              ) x
                            offset
                              0
                          ) x
                        offset
                          0
                      ) x
                    where
                      x.last_cell >= x.first_cell
                    offset
                      0
                  ) x
                offset
                  0
              ) x
            offset
              0
          ) x
      ) x
  ) p;

-- returns no bigint, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea
/* downsample-scalars-64 */
with
  ranges as materialized (
    select
      r.no,
      r.bounds::int8[] as bounds,
      (r.bounds::int8[]) [1] as from_step,
      r.to_step
    from
      rows
    from
      (
        unnest(
          (
            select
              $n::text[]
          )
        ),
        unnest(
          (
            select
              $n::int8[]
          )
        )
      ) with ordinality r (bounds, to_step, no)
  )
select
  q.no,
  p.*
from
  rows
from
  (
    unnest(
      (
        select
          $n::int8[]
      )
    ),
    unnest(
      (
        select
          $n::int4[]
      )
    )
  ) with ordinality q (series_id, range_no, no)
  join ranges g on g.no = q.range_no,
  lateral (
    select
      string_agg(int8send (x.step), ''::bytea),
      string_agg(int8send (x.last_step), ''::bytea),
      string_agg(int8send (x.points), ''::bytea),
      string_agg(float8send (x.first), ''::bytea),
      string_agg(float8send (x.last), ''::bytea),
      string_agg(float8send (x.min), ''::bytea),
      string_agg(float8send (x.max), ''::bytea),
      string_agg(int8send (x.min_step), ''::bytea),
      string_agg(int8send (x.max_step), ''::bytea),
      string_agg(float8send (x.wall), ''::bytea)
    from
      (
        select
          coalesce(x.c64_first_step[x.first_cell + 1], x.first_step + x.width * x.first_cell) as step,
          case
            when x.last_cell + 1 = x.cells then x.last_step
            else coalesce(x.c64_last_step[x.last_cell + 1], x.first_step + x.width * (x.last_cell + 1) - x.stride)
          end as last_step,
          least(x.count - x.first_cell * 64, (x.last_cell - x.first_cell + 1) * 64)::int8 as points,
          coalesce(x.c64_first[x.first_cell + 1]::float8, x.c64_first8[x.first_cell + 1]) as first,
          coalesce(x.c64_last[x.last_cell + 1]::float8, x.c64_last8[x.last_cell + 1]) as last,
          coalesce(x.least4::float8, x.least8, 'NaN') as min,
          coalesce(x.greatest4::float8, x.greatest8, 'NaN') as max,
          coalesce(
            x.c64_min_step[x.min_cell],
            x.first_step + x.width * (x.min_cell - 1) + x.stride * x.c64_min_at[x.min_cell]
          ) as min_step,
          coalesce(
            x.c64_max_step[x.max_cell],
            x.first_step + x.width * (x.max_cell - 1) + x.stride * x.c64_max_at[x.max_cell]
          ) as max_step,
          x.c64_wall[x.first_cell + 1] as wall
        from
          (
            select
              x.*,
              x.first_cell + coalesce(array_position(x.mins4, x.least4), array_position(x.mins8, x.least8)) as min_cell,
              x.first_cell + coalesce(array_position(x.maxs4, x.greatest4), array_position(x.maxs8, x.greatest8)) as max_cell
            from
              (
                select
                  x.*,
                  case
                    when x.last_cell - x.first_cell < 2 then least(x.mins4[1], x.mins4[2])
                    when x.last_cell - x.first_cell < 5 then least(x.mins4[1], x.mins4[2], x.mins4[3], x.mins4[4], x.mins4[5])
                    when x.last_cell - x.first_cell < 9 then least(
                      x.mins4[1],
                      x.mins4[2],
                      x.mins4[3],
                      x.mins4[4],
                      x.mins4[5],
                      x.mins4[6],
                      x.mins4[7],
                      x.mins4[8],
                      x.mins4[9]
                    )
                    else (
                      select
                        min(u)
                      from
                        unnest(x.mins4) u
                    )
                  end as least4,
                  case
                    when x.last_cell - x.first_cell < 2 then greatest(x.maxs4[1], x.maxs4[2])
                    when x.last_cell - x.first_cell < 5 then greatest(x.maxs4[1], x.maxs4[2], x.maxs4[3], x.maxs4[4], x.maxs4[5])
                    when x.last_cell - x.first_cell < 9 then greatest(
                      x.maxs4[1],
                      x.maxs4[2],
                      x.maxs4[3],
                      x.maxs4[4],
                      x.maxs4[5],
                      x.maxs4[6],
                      x.maxs4[7],
                      x.maxs4[8],
                      x.maxs4[9]
                    )
                    else (
                      select
                        max(u)
                      from
                        unnest(x.maxs4) u
                    )
                  end as greatest4,
                  case
                    when x.mins8 is not null then case
                      when x.last_cell - x.first_cell < 2 then least(x.mins8[1], x.mins8[2])
                      when x.last_cell - x.first_cell < 5 then least(x.mins8[1], x.mins8[2], x.mins8[3], x.mins8[4], x.mins8[5])
                      when x.last_cell - x.first_cell < 9 then least(
                        x.mins8[1],
                        x.mins8[2],
                        x.mins8[3],
                        x.mins8[4],
                        x.mins8[5],
                        x.mins8[6],
                        x.mins8[7],
                        x.mins8[8],
                        x.mins8[9]
                      )
                      else (
                        select
                          min(u)
                        from
                          unnest(x.mins8) u
                      )
                    end
                  end as least8,
                  case
                    when x.maxs8 is not null then case
                      when x.last_cell - x.first_cell < 2 then greatest(x.maxs8[1], x.maxs8[2])
                      when x.last_cell - x.first_cell < 5 then greatest(x.maxs8[1], x.maxs8[2], x.maxs8[3], x.maxs8[4], x.maxs8[5])
                      when x.last_cell - x.first_cell < 9 then greatest(
                        x.maxs8[1],
                        x.maxs8[2],
                        x.maxs8[3],
                        x.maxs8[4],
                        x.maxs8[5],
                        x.maxs8[6],
                        x.maxs8[7],
                        x.maxs8[8],
                        x.maxs8[9]
                      )
                      else (
                        select
                          max(u)
                        from
                          unnest(x.maxs8) u
                      )
                    end
                  end as greatest8
                from
                  (
                    select
                      x.*,
                      x.c64_min[x.first_cell + 1:x.last_cell + 1] as mins4,
                      x.c64_max[x.first_cell + 1:x.last_cell + 1] as maxs4,
                      x.c64_min8[x.first_cell + 1:x.last_cell + 1] as mins8,
                      x.c64_max8[x.first_cell + 1:x.last_cell + 1] as maxs8
                    from
                      (
                        select
                          x.*,
                          (
                            case
                              when bucket = x.first_bucket then 0
                              else case
                                when x.stride is not null then (g.bounds[bucket] - x.first_step + x.width - 1) / x.width
                                else width_bucket(g.bounds[bucket] - 1, x.c64_first_step)
                              end
                            end
                          )::int4 as first_cell,
                          (
                            case
                              when bucket = x.last_bucket then x.cells
                              else case
                                when x.stride is not null then (g.bounds[bucket + 1] - x.first_step + x.width - 1) / x.width
                                else width_bucket(g.bounds[bucket + 1] - 1, x.c64_first_step)
                              end
                            end - 1
                          )::int4 as last_cell
                        from
                          (
                            select
                              x.*,
                              generate_series(x.first_bucket, x.last_bucket) as bucket
                            from
                              (
                                select
                                  x.*,
                                  width_bucket(x.first_step, g.bounds) as first_bucket,
                                  width_bucket(
                                    case
                                      when x.cells = 1 then x.first_step
                                      else coalesce(x.c64_first_step[x.cells], x.first_step + x.width * (x.cells - 1))
                                    end,
                                    g.bounds
                                  ) as last_bucket
                                from
                                  (
                                    select
                                      c.first_step,
                                      c.last_step,
                                      c.count,
                                      c.stride,
                                      c.c64_first_step,
                                      c.c64_last_step,
                                      c.c64_min_step,
                                      c.c64_max_step,
                                      c.c64_min_at,
                                      c.c64_max_at,
                                      c.c64_wall,
                                      c.c64_first,
                                      c.c64_last,
                                      c.c64_min,
                                      c.c64_max,
                                      c.c64_first8,
                                      c.c64_last8,
                                      c.c64_min8,
                                      c.c64_max8,
                                      (c.count + 63) / 64 as cells,
                                      case
                                        when c.count > 64 then c.stride * 64
                                        else 1
                                      end as width
                                    from
                                      scalar_chunk c
                                    where
                                      c.tenant_id = $n
                                      and c.series_id = q.series_id
                                      and not c.superseded
                                      and c.first_step >= g.from_step
                                      and c.first_step <= g.to_step
                                      and c.last_step <= g.to_step
                                      and not ((c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952)
                                    offset
                                      0
                                  ) x
                                offset
                                  0
                              ) x
                            offset
                              0
                          ) x
                        offset
                          0
                      ) x
                    where
                      x.last_cell >= x.first_cell
                    offset
                      0
                  ) x
                offset
                  0
              ) x
            offset
              0
          ) x
      ) x
  ) p;

-- returns no bigint, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea
/* downsample-scalars-many */
with
  ranges as materialized (
    select
      r.no,
      r.bounds::int8[] as bounds,
      (r.bounds::int8[]) [1] as from_step,
      r.to_step
    from
      rows
    from
      (
        unnest(
          (
            select
              $n::text[]
          )
        ),
        unnest(
          (
            select
              $n::int8[]
          )
        )
      ) with ordinality r (bounds, to_step, no)
  )
select
  q.no,
  p.*
from
  rows
from
  (
    unnest(
      (
        select
          $n::int8[]
      )
    ),
    unnest(
      (
        select
          $n::int4[]
      )
    )
  ) with ordinality q (series_id, range_no, no)
  join ranges g on g.no = q.range_no,
  lateral (
    select
      string_agg(int8send (x.step), ''::bytea),
      string_agg(int8send (x.last_step), ''::bytea),
      string_agg(int8send (x.points), ''::bytea),
      string_agg(float8send (x.first), ''::bytea),
      string_agg(float8send (x.last), ''::bytea),
      string_agg(float8send (x.min), ''::bytea),
      string_agg(float8send (x.max), ''::bytea),
      string_agg(int8send (x.min_step), ''::bytea),
      string_agg(int8send (x.max_step), ''::bytea),
      string_agg(float8send (x.wall), ''::bytea)
    from
      (
        select
          min(y.step) as step,
          max(y.last_step) as last_step,
          sum(y.points)::int8 as points,
          (
            array_agg(
              y.first
              order by
                y.step
            )
          ) [1] as first,
          (
            array_agg(
              y.last
              order by
                y.step
            )
          ) [count(*)] as last,
          coalesce(
            min(y.min) filter (
              where
                y.min <> 'NaN'
            ),
            'NaN'
          ) as min,
          coalesce(
            max(y.max) filter (
              where
                y.max <> 'NaN'
            ),
            'NaN'
          ) as max,
          (
            array_agg(
              y.min_step
              order by
                y.min,
                y.step
            )
          ) [1] as min_step,
          (
            array_agg(
              y.max_step
              order by
                nullif(y.max, 'NaN') desc nulls last,
                y.step
            )
          ) [1] as max_step,
          (
            array_agg(
              y.wall
              order by
                y.step
            )
          ) [1] as wall
        from
          (
            select
              h.*,
              width_bucket(h.step, g.bounds) as bucket
            from
              (
                select
                  c.first_step as step,
                  c.last_step,
                  c.count::int8 as points,
                  c.first_value as first,
                  c.last_value as last,
                  coalesce(c.min_value, 'NaN') as min,
                  coalesce(c.max_value, 'NaN') as max,
                  coalesce(c.min_step, c.first_step) as min_step,
                  coalesce(c.max_step, c.first_step) as max_step,
                  c.first_wall as wall
                from
                  scalar_chunk c
                where
                  c.tenant_id = $n
                  and c.series_id = q.series_id
                  and not c.superseded
                  and c.first_step >= g.from_step
                  and c.first_step <= g.to_step
                  and c.last_step <= g.to_step
                  and not ((c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952)
              ) h
          ) y
        group by
          y.bucket
      ) x
  ) p;

-- returns no bigint, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea, string_agg bytea
/* downsample-scalars-rolled */
with
  ranges as materialized (
    select
      r.no,
      r.bounds::int8[] as bounds,
      (r.bounds::int8[]) [1] as from_step,
      r.to_step
    from
      rows
    from
      (
        unnest(
          (
            select
              $n::text[]
          )
        ),
        unnest(
          (
            select
              $n::int8[]
          )
        )
      ) with ordinality r (bounds, to_step, no)
  )
select
  q.no,
  p.*
from
  rows
from
  (
    unnest(
      (
        select
          $n::int8[]
      )
    ),
    unnest(
      (
        select
          $n::int4[]
      )
    ),
    unnest(
      (
        select
          $n::int4[]
      )
    )
  ) with ordinality q (series_id, range_no, level, no)
  join ranges g on g.no = q.range_no,
  lateral (
    select
      string_agg(int8send (x.step), ''::bytea),
      string_agg(int8send (x.last_step), ''::bytea),
      string_agg(int8send (x.points), ''::bytea),
      string_agg(float8send (x.first), ''::bytea),
      string_agg(float8send (x.last), ''::bytea),
      string_agg(float8send (x.min), ''::bytea),
      string_agg(float8send (x.max), ''::bytea),
      string_agg(int8send (x.min_step), ''::bytea),
      string_agg(int8send (x.max_step), ''::bytea),
      string_agg(float8send (x.wall), ''::bytea)
    from
      (
        select
          r.first_step as step,
          r.last_step,
          r.points as points,
          r.first_value as first,
          r.last_value as last,
          coalesce(r.min_value, 'NaN') as min,
          coalesce(r.max_value, 'NaN') as max,
          coalesce(r.min_step, r.first_step) as min_step,
          coalesce(r.max_step, r.first_step) as max_step,
          r.first_wall as wall
        from
          generate_series(1, q.level) k (level)
          left join lateral (
            select
              f.first_step as first,
              l.last_step as last
            from
              (
                select
                  e.first_step,
                  e.last_step
                from
                  scalar_rollup e
                where
                  e.tenant_id = $n
                  and e.series_id = q.series_id
                  and e.level = k.level + 1
                  and e.last_step >= g.from_step
                  and e.first_step >= g.from_step
                order by
                  e.last_step
                limit
                  1
              ) f,
              (
                select
                  max(e.last_step) as last_step
                from
                  scalar_rollup e
                where
                  e.tenant_id = $n
                  and e.series_id = q.series_id
                  and e.level = k.level + 1
                  and e.last_step <= g.to_step
              ) l
            where
              l.last_step >= f.last_step
              and k.level < q.level
          ) n on true
          cross join lateral (
            select
              r.*
            from
              scalar_rollup r
            where
              r.tenant_id = $n
              and r.series_id = q.series_id
              and r.level = k.level
              and r.first_step >= g.from_step
              and r.last_step >= g.from_step
              and r.last_step <= least(n.first, g.to_step)
              and r.last_step is distinct from n.first
            union all
            select
              r.*
            from
              scalar_rollup r
            where
              r.tenant_id = $n
              and r.series_id = q.series_id
              and r.level = k.level
              and r.last_step > n.last
              and r.last_step <= g.to_step
          ) r
        union all
        select
          h.*
        from
          (
            select
          ) o
          left join lateral (
            select
              f.first_step as first,
              l.last_step as last
            from
              (
                select
                  e.first_step,
                  e.last_step
                from
                  scalar_rollup e
                where
                  e.tenant_id = $n
                  and e.series_id = q.series_id
                  and e.level = 1
                  and e.last_step >= g.from_step
                  and e.first_step >= g.from_step
                order by
                  e.last_step
                limit
                  1
              ) f,
              (
                select
                  max(e.last_step) as last_step
                from
                  scalar_rollup e
                where
                  e.tenant_id = $n
                  and e.series_id = q.series_id
                  and e.level = 1
                  and e.last_step <= g.to_step
              ) l
            where
              l.last_step >= f.last_step
          ) n on true
          cross join lateral (
            select
              c.first_step as step,
              c.last_step,
              c.count::int8 as points,
              c.first_value as first,
              c.last_value as last,
              coalesce(c.min_value, 'NaN') as min,
              coalesce(c.max_value, 'NaN') as max,
              coalesce(c.min_step, c.first_step) as min_step,
              coalesce(c.max_step, c.first_step) as max_step,
              c.first_wall as wall
            from
              scalar_chunk c
            where
              c.tenant_id = $n
              and c.series_id = q.series_id
              and not c.superseded
              and c.first_step >= g.from_step
              and c.first_step <= least(n.first, g.to_step)
              and c.first_step is distinct from n.first
              and c.last_step <= g.to_step
              and not ((c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952)
            union all
            select
              c.first_step as step,
              c.last_step,
              c.count::int8 as points,
              c.first_value as first,
              c.last_value as last,
              coalesce(c.min_value, 'NaN') as min,
              coalesce(c.max_value, 'NaN') as max,
              coalesce(c.min_step, c.first_step) as min_step,
              coalesce(c.max_step, c.first_step) as max_step,
              c.first_wall as wall
            from
              scalar_chunk c
            where
              c.tenant_id = $n
              and c.series_id = q.series_id
              and not c.superseded
              and c.first_step > n.last
              and c.first_step <= g.to_step
              and c.last_step <= g.to_step
              and not ((c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952)
          ) h
      ) x
  ) p;
