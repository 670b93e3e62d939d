-- returns no bigint, file_id bigint, body bytea
/* read-cut-bodies */
select
  q.no,
  p.file_id,
  p.body
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
          $n::int8[]
      )
    ),
    unnest(
      (
        select
          $n::int8[]
      )
    )
  ) with ordinality q (series_id, from_step, to_step, no),
  lateral (
    select
      a.*
    from
      (
        select
          e.first_step,
          e.last_step,
          e.file_id,
          e.body
        from
          scalar_chunk e
        where
          e.tenant_id = $n
          and e.series_id = q.series_id
          and not e.superseded
          and e.first_step <= q.from_step
        order by
          e.first_step desc
        limit
          1
      ) a
    where
      a.last_step >= q.from_step
      and (
        a.first_step < q.from_step
        or a.last_step > q.to_step
      )
    union all
    select
      b.*
    from
      (
        select
          e.first_step,
          e.last_step,
          e.file_id,
          e.body
        from
          scalar_chunk e
        where
          e.tenant_id = $n
          and e.series_id = q.series_id
          and not e.superseded
          and e.first_step <= q.to_step
        order by
          e.first_step desc
        limit
          1
      ) b
    where
      b.first_step > q.from_step
      and b.last_step > q.to_step
  ) p
order by
  q.no,
  p.first_step;

-- returns no bigint, file_id bigint, body bytea
/* read-effective-bodies */
select
  q.no,
  p.file_id,
  p.body
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
          $n::int8[]
      )
    ),
    unnest(
      (
        select
          $n::int8[]
      )
    ),
    unnest(
      (
        select
          $n::boolean[]
      )
    ),
    unnest(
      (
        select
          $n::int8[]
      )
    )
  ) with ordinality q (series_id, from_step, to_step, cut_only, points, no),
  lateral (
    select
      o.*
    from
      (
        select
          c.file_id,
          c.first_step,
          c.body,
          sum(c.count) over (
            order by
              c.first_step asc rows unbounded preceding
          ) - c.count as before
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
                    and e.series_id = q.series_id
                    and not e.superseded
                    and e.first_step <= q.from_step
                ),
                q.from_step
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
              and c.series_id = q.series_id
              and not c.superseded
              and c.first_step >= b.first_step
              and c.first_step <= q.to_step
              and c.last_step >= q.from_step
            offset
              0
          ) c
        where
          (
            not q.cut_only
            or c.first_step < q.from_step
            or c.last_step > q.to_step
            or (c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952
          )
      ) o
    where
      o.before < q.points
  ) p
order by
  q.no,
  p.first_step;

-- returns no bigint, file_id bigint, body bytea
/* read-effective-bodies-from-last */
select
  q.no,
  p.file_id,
  p.body
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
          $n::int8[]
      )
    ),
    unnest(
      (
        select
          $n::int8[]
      )
    ),
    unnest(
      (
        select
          $n::boolean[]
      )
    ),
    unnest(
      (
        select
          $n::int8[]
      )
    )
  ) with ordinality q (series_id, from_step, to_step, cut_only, points, no),
  lateral (
    select
      o.*
    from
      (
        select
          c.file_id,
          c.first_step,
          c.body,
          sum(c.count) over (
            order by
              c.first_step desc rows unbounded preceding
          ) - c.count as before
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
                    and e.series_id = q.series_id
                    and not e.superseded
                    and e.first_step <= q.from_step
                ),
                q.from_step
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
              and c.series_id = q.series_id
              and not c.superseded
              and c.first_step >= b.first_step
              and c.first_step <= q.to_step
              and c.last_step >= q.from_step
            offset
              0
          ) c
        where
          (
            not q.cut_only
            or c.first_step < q.from_step
            or c.last_step > q.to_step
            or (c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952
          )
      ) o
    where
      o.before < q.points
  ) p
order by
  q.no,
  p.first_step;
