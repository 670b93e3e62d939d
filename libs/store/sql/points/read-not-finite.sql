-- returns no bigint, body bytea
/* read-not-finite-bodies */
select
  q.no,
  c.body
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
    )
  ) with ordinality q (series_id, first_step, no)
  join scalar_chunk c on c.tenant_id = $n
  and c.series_id = q.series_id
  and not c.superseded
  and c.first_step = q.first_step
order by
  q.no;

-- returns no bigint, first_step bigint, last_step bigint, count integer, nan_count integer, infinite boolean
/* list-not-finite-chunks */
select
  q.no,
  c.first_step,
  c.last_step,
  c.count,
  c.nan_count,
  c.infinite
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
      c.first_step,
      c.last_step,
      c.count,
      c.nan_count,
      coalesce(
        c.max_value = 'Infinity'
        or c.min_value = '-Infinity',
        false
      ) as infinite
    from
      scalar_chunk c
    where
      c.tenant_id = $n
      and c.series_id = q.series_id
      and not c.superseded
      and (
        c.nan_count > 0
        or c.max_value = 'Infinity'
        or c.min_value = '-Infinity'
      )
      and c.first_step <= q.to_step
      and c.last_step >= q.from_step
    offset
      0
  ) c
order by
  q.no,
  c.first_step;
