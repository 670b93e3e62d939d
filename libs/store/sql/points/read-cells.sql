-- returns no bigint, sum bigint, string_agg bytea
/* read-cells-512 */
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
      sum((x.count + 511) / 512),
      string_agg(record_send (x), ''::bytea)
    from
      (
        select
          c.first_step,
          c.stride,
          c.count,
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
          c.c512_max8
        from
          scalar_chunk c
        where
          c.tenant_id = $n
          and c.series_id = q.series_id
          and not c.superseded
          and c.first_step >= q.from_step
          and c.first_step <= q.to_step
          and c.last_step <= q.to_step
          and not ((c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952)
        offset
          0
      ) x
  ) p;

-- returns no bigint, sum bigint, string_agg bytea
/* read-cells-64 */
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
      sum((x.count + 63) / 64),
      string_agg(record_send (x), ''::bytea)
    from
      (
        select
          c.first_step,
          c.stride,
          c.count,
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
          c.c64_max8
        from
          scalar_chunk c
        where
          c.tenant_id = $n
          and c.series_id = q.series_id
          and not c.superseded
          and c.first_step >= q.from_step
          and c.first_step <= q.to_step
          and c.last_step <= q.to_step
          and not ((c.last_step >> 1) - (c.first_step >> 1) >= 2305843009213693952)
        offset
          0
      ) x
  ) p;
