-- returns series_id bigint, run_id bigint, name text, tag text, coalesce bigint, coalesce bigint, coalesce numeric, coalesce numeric, coalesce numeric, coalesce numeric, coalesce numeric, coalesce numeric, coalesce numeric, writer smallint, has_not_finite boolean
/* list-scalar-series */
select
  s.series_id,
  s.run_id,
  r.name,
  s.tag,
  coalesce(f.first_step, v.first_step),
  coalesce(f.last_step, v.last_step),
  coalesce(f.points, v.points),
  coalesce(v.chunks, f.chunks),
  coalesce(f.cells512, v.cells512),
  coalesce(f.cells64, v.cells64),
  coalesce(v.cut, f.cut),
  coalesce(v.wide, f.wide),
  coalesce(v.rolled, f.rolled),
  s.writer,
  exists (
    select
    from
      scalar_chunk c
    where
      c.tenant_id = $n
      and c.series_id = s.series_id
      and not c.superseded
      and (
        c.nan_count > 0
        or c.max_value = 'Infinity'
        or c.min_value = '-Infinity'
      )
  ) as has_not_finite
from
  series s
  join run r on r.tenant_id = $n
  and r.run_id = s.run_id
  left join lateral (
    select
      e.*,
      e.first_step < $n as cut
    from
      scalar_rollup e
    where
      e.tenant_id = $n
      and e.series_id = s.series_id
      and e.level = 1
      and e.last_step >= $n
    order by
      e.last_step
    limit
      1
  ) e on true
  left join lateral (
    select
      l.*
    from
      scalar_rollup l
    where
      e.series_id is not null
      and l.tenant_id = $n
      and l.series_id = s.series_id
      and l.level = 1
      and l.last_step <= $n
      and l.last_step >= e.last_step
      and (
        not e.cut
        or l.last_step > e.last_step
      )
    order by
      l.last_step desc
    limit
      1
  ) l on true
  left join lateral (
    select
      min(c.first_step) first_step,
      max(c.last_step) last_step,
      sum(c.count) points,
      count(*) chunks,
      sum((c.count + 511) / 512) cells512,
      sum((c.count + 63) / 64) cells64,
      count(*) filter (
        where
          c.first_step < $n
          or c.last_step > $n
      ) cut,
      count(*) filter (
        where
          (c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952
      ) wide,
      0::int8 rolled
    from
      scalar_chunk c
    where
      e.series_id is null
      and $n = (-9223372036854775808)::int8
      and c.tenant_id = $n
      and c.series_id = s.series_id
      and not c.superseded
      and c.first_step <= $n
  ) f on true
  left join lateral (
    select
      min(p.first_step) first_step,
      max(p.last_step) last_step,
      sum(p.points) points,
      sum(p.chunks) chunks,
      sum(p.cells512) cells512,
      sum(p.cells64) cells64,
      sum(p.cut) cut,
      sum(p.wide) wide,
      sum(p.rolled) rolled
    from
      (
        select
          case
            when e.cut then null
            else e.first_step
          end first_step,
          l.last_step,
          l.points_before + l.points - e.points_before - case
            when e.cut then e.points
            else 0
          end points,
          l.chunks_before + l.chunks - e.chunks_before - case
            when e.cut then e.chunks
            else 0
          end chunks,
          l.cells512_before + l.cells512 - e.cells512_before - case
            when e.cut then e.cells512
            else 0
          end cells512,
          l.cells64_before + l.cells64 - e.cells64_before - case
            when e.cut then e.cells64
            else 0
          end cells64,
          0::int8 cut,
          0::int8 wide,
          l.chunks_before + l.chunks - e.chunks_before - case
            when e.cut then e.chunks
            else 0
          end rolled
        where
          l.series_id is not null
        union all
        select
          min(c.first_step) first_step,
          max(c.last_step) last_step,
          sum(c.count) points,
          count(*) chunks,
          sum((c.count + 511) / 512) cells512,
          sum((c.count + 63) / 64) cells64,
          count(*) filter (
            where
              c.first_step < $n
              or c.last_step > $n
          ) cut,
          count(*) filter (
            where
              (c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952
          ) wide,
          0::int8 rolled
        from
          (
            select
              coalesce(
                (
                  select
                    max(e.first_step)
                  from
                    scalar_chunk e
                  where
                    e.tenant_id = $n
                    and e.series_id = s.series_id
                    and not e.superseded
                    and e.first_step <= $n
                ),
                $n
              ) as first_step
            offset
              0
          ) b,
          lateral (
            select
              c.*
            from
              scalar_chunk c
            where
              c.tenant_id = $n
              and c.series_id = s.series_id
              and not c.superseded
              and c.first_step >= b.first_step
              and c.first_step <= case
                when l.series_id is null then $n
                else e.last_step
              end
              and c.last_step >= $n
            offset
              0
          ) c
        where
          l.series_id is null
          or e.cut
        union all
        select
          min(c.first_step) first_step,
          max(c.last_step) last_step,
          sum(c.count) points,
          count(*) chunks,
          sum((c.count + 511) / 512) cells512,
          sum((c.count + 63) / 64) cells64,
          count(*) filter (
            where
              c.first_step < $n
              or c.last_step > $n
          ) cut,
          count(*) filter (
            where
              (c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952
          ) wide,
          0::int8 rolled
        from
          scalar_chunk c
        where
          l.series_id is not null
          and c.tenant_id = $n
          and c.series_id = s.series_id
          and not c.superseded
          and c.first_step > l.last_step
          and c.first_step <= $n
      ) p
    where
      not (
        e.series_id is null
        and $n = (-9223372036854775808)::int8
      )
  ) v on not (
    e.series_id is null
    and $n = (-9223372036854775808)::int8
  )
where
  s.tenant_id = $n
  and s.experiment_id = $n
  and r.deleted_at is null
  and s.data_class = 'scalar'
  and (
    $n::text[] is null
    or r.name = any ($n)
  )
  and (
    $n::bytea[] is null
    or s.tag_hash = any ($n)
  )
  and (
    $n::text is null
    or s.plugin = $n
  )
  and (
    s.listed
    or $n::boolean
  )
order by
  r.name collate "C",
  s.tag collate "C",
  s.twin,
  s.writer,
  s.series_id;

-- returns series_id bigint, run_id bigint, name text, tag text, coalesce bigint, coalesce bigint, coalesce numeric, coalesce numeric, coalesce numeric, coalesce numeric, coalesce numeric, coalesce numeric, coalesce numeric, writer smallint, has_not_finite boolean
/* list-scalar-series-by-id */
select
  s.series_id,
  s.run_id,
  r.name,
  s.tag,
  coalesce(f.first_step, v.first_step),
  coalesce(f.last_step, v.last_step),
  coalesce(f.points, v.points),
  coalesce(v.chunks, f.chunks),
  coalesce(f.cells512, v.cells512),
  coalesce(f.cells64, v.cells64),
  coalesce(v.cut, f.cut),
  coalesce(v.wide, f.wide),
  coalesce(v.rolled, f.rolled),
  s.writer,
  exists (
    select
    from
      scalar_chunk c
    where
      c.tenant_id = $n
      and c.series_id = s.series_id
      and not c.superseded
      and (
        c.nan_count > 0
        or c.max_value = 'Infinity'
        or c.min_value = '-Infinity'
      )
  ) as has_not_finite
from
  series s
  join run r on r.tenant_id = $n
  and r.run_id = s.run_id
  left join lateral (
    select
      e.*,
      e.first_step < $n as cut
    from
      scalar_rollup e
    where
      e.tenant_id = $n
      and e.series_id = s.series_id
      and e.level = 1
      and e.last_step >= $n
    order by
      e.last_step
    limit
      1
  ) e on true
  left join lateral (
    select
      l.*
    from
      scalar_rollup l
    where
      e.series_id is not null
      and l.tenant_id = $n
      and l.series_id = s.series_id
      and l.level = 1
      and l.last_step <= $n
      and l.last_step >= e.last_step
      and (
        not e.cut
        or l.last_step > e.last_step
      )
    order by
      l.last_step desc
    limit
      1
  ) l on true
  left join lateral (
    select
      min(c.first_step) first_step,
      max(c.last_step) last_step,
      sum(c.count) points,
      count(*) chunks,
      sum((c.count + 511) / 512) cells512,
      sum((c.count + 63) / 64) cells64,
      count(*) filter (
        where
          c.first_step < $n
          or c.last_step > $n
      ) cut,
      count(*) filter (
        where
          (c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952
      ) wide,
      0::int8 rolled
    from
      scalar_chunk c
    where
      e.series_id is null
      and $n = (-9223372036854775808)::int8
      and c.tenant_id = $n
      and c.series_id = s.series_id
      and not c.superseded
      and c.first_step <= $n
  ) f on true
  left join lateral (
    select
      min(p.first_step) first_step,
      max(p.last_step) last_step,
      sum(p.points) points,
      sum(p.chunks) chunks,
      sum(p.cells512) cells512,
      sum(p.cells64) cells64,
      sum(p.cut) cut,
      sum(p.wide) wide,
      sum(p.rolled) rolled
    from
      (
        select
          case
            when e.cut then null
            else e.first_step
          end first_step,
          l.last_step,
          l.points_before + l.points - e.points_before - case
            when e.cut then e.points
            else 0
          end points,
          l.chunks_before + l.chunks - e.chunks_before - case
            when e.cut then e.chunks
            else 0
          end chunks,
          l.cells512_before + l.cells512 - e.cells512_before - case
            when e.cut then e.cells512
            else 0
          end cells512,
          l.cells64_before + l.cells64 - e.cells64_before - case
            when e.cut then e.cells64
            else 0
          end cells64,
          0::int8 cut,
          0::int8 wide,
          l.chunks_before + l.chunks - e.chunks_before - case
            when e.cut then e.chunks
            else 0
          end rolled
        where
          l.series_id is not null
        union all
        select
          min(c.first_step) first_step,
          max(c.last_step) last_step,
          sum(c.count) points,
          count(*) chunks,
          sum((c.count + 511) / 512) cells512,
          sum((c.count + 63) / 64) cells64,
          count(*) filter (
            where
              c.first_step < $n
              or c.last_step > $n
          ) cut,
          count(*) filter (
            where
              (c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952
          ) wide,
          0::int8 rolled
        from
          (
            select
              coalesce(
                (
                  select
                    max(e.first_step)
                  from
                    scalar_chunk e
                  where
                    e.tenant_id = $n
                    and e.series_id = s.series_id
                    and not e.superseded
                    and e.first_step <= $n
                ),
                $n
              ) as first_step
            offset
              0
          ) b,
          lateral (
            select
              c.*
            from
              scalar_chunk c
            where
              c.tenant_id = $n
              and c.series_id = s.series_id
              and not c.superseded
              and c.first_step >= b.first_step
              and c.first_step <= case
                when l.series_id is null then $n
                else e.last_step
              end
              and c.last_step >= $n
            offset
              0
          ) c
        where
          l.series_id is null
          or e.cut
        union all
        select
          min(c.first_step) first_step,
          max(c.last_step) last_step,
          sum(c.count) points,
          count(*) chunks,
          sum((c.count + 511) / 512) cells512,
          sum((c.count + 63) / 64) cells64,
          count(*) filter (
            where
              c.first_step < $n
              or c.last_step > $n
          ) cut,
          count(*) filter (
            where
              (c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952
          ) wide,
          0::int8 rolled
        from
          scalar_chunk c
        where
          l.series_id is not null
          and c.tenant_id = $n
          and c.series_id = s.series_id
          and not c.superseded
          and c.first_step > l.last_step
          and c.first_step <= $n
      ) p
    where
      not (
        e.series_id is null
        and $n = (-9223372036854775808)::int8
      )
  ) v on not (
    e.series_id is null
    and $n = (-9223372036854775808)::int8
  )
where
  s.tenant_id = $n
  and s.series_id = any ($n::int8[])
  and r.deleted_at is null
  and s.data_class = 'scalar'
  and (
    $n::text[] is null
    or r.name = any ($n)
  )
  and (
    $n::bytea[] is null
    or s.tag_hash = any ($n)
  )
  and (
    $n::text is null
    or s.plugin = $n
  )
  and (
    s.listed
    or $n::boolean
  )
order by
  r.name collate "C",
  s.tag collate "C",
  s.twin,
  s.writer,
  s.series_id;
