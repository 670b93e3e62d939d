-- returns no bigint, body bytea
/* read-bodies-of-chunks */
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
    ),
    unnest(
      (
        select
          $n::int8[]
      )
    )
  ) with ordinality q (series_id, file_id, first_ordinal, no)
  join scalar_chunk c on c.tenant_id = $n
  and c.series_id = q.series_id
  and c.file_id = q.file_id
  and c.first_ordinal = q.first_ordinal;

-- returns no bigint, file_id bigint, first_ordinal bigint, count integer, last_step bigint, last_value float8, last_wall float8, octet_length integer, case bytea
/* list-chunks-at */
select
  q.no,
  c.file_id,
  c.first_ordinal,
  c.count,
  c.last_step,
  c.last_value,
  c.last_wall,
  octet_length(c.body),
  case
    when c.last_step > q.step
    and octet_length(c.body) <= 2048 then c.body
  end
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
  ) with ordinality q (series_id, step, no),
  lateral (
    select
      e.file_id,
      e.first_ordinal,
      e.count,
      e.last_step,
      e.last_value,
      e.last_wall,
      e.body
    from
      scalar_chunk e
    where
      e.tenant_id = $n
      and e.series_id = q.series_id
      and not e.superseded
      and e.first_step <= q.step
    order by
      e.first_step desc
    limit
      1
  ) c;

-- returns series_id bigint, run_id bigint, tag text
/* list-series-of-tags */
select
  s.series_id,
  s.run_id,
  s.tag
from
  run r
  join series s on s.tenant_id = $n
  and s.run_id = r.run_id
where
  r.tenant_id = $n
  and r.experiment_id = $n
  and r.deleted_at is null
  and (
    $n::int8[] is null
    or r.run_id = any ($n::int8[])
  )
  and r.name_hash = any ($n::bytea[])
  and exists (
    select
    from
      series v
    where
      v.tenant_id = $n
      and v.run_id = r.run_id
      and v.tag_hash = any ($n::bytea[])
  )
  and s.tag_hash = any ($n::bytea[])
  and not s.twin
  and s.data_class = 'scalar';

-- returns series_id bigint, run_id bigint, tag text
/* list-series-of-tags */
select
  s.series_id,
  s.run_id,
  s.tag
from
  run r
  join series s on s.tenant_id = $n
  and s.run_id = r.run_id
where
  r.tenant_id = $n
  and r.experiment_id = $n
  and r.deleted_at is null
  and (
    $n::int8[] is null
    or r.run_id = any ($n::int8[])
  )
  and r.name_hash = any ($n::bytea[])
  and s.tag_hash = any ($n::bytea[])
  and not s.twin
  and s.data_class = 'scalar';

-- returns series_id bigint, run_id bigint, tag text
/* list-series-of-tags */
select
  s.series_id,
  s.run_id,
  s.tag
from
  run r
  join series s on s.tenant_id = $n
  and s.run_id = r.run_id
where
  r.tenant_id = $n
  and r.experiment_id = $n
  and r.deleted_at is null
  and (
    $n::int8[] is null
    or r.run_id = any ($n::int8[])
  )
  and true
  and exists (
    select
    from
      series v
    where
      v.tenant_id = $n
      and v.run_id = r.run_id
      and v.tag_hash = any ($n::bytea[])
  )
  and s.tag_hash = any ($n::bytea[])
  and not s.twin
  and s.data_class = 'scalar';

-- returns series_id bigint, run_id bigint, tag text
/* list-series-of-tags */
select
  s.series_id,
  s.run_id,
  s.tag
from
  run r
  join series s on s.tenant_id = $n
  and s.run_id = r.run_id
where
  r.tenant_id = $n
  and r.experiment_id = $n
  and r.deleted_at is null
  and (
    $n::int8[] is null
    or r.run_id = any ($n::int8[])
  )
  and true
  and s.tag_hash = any ($n::bytea[])
  and not s.twin
  and s.data_class = 'scalar';
