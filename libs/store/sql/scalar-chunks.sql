/* prepared: count-file-points */
select
  series_id,
  sum(count) as points
from
  scalar_chunk
where
  tenant_id = $n
  and series_id = any ($n::bigint[])
  and file_id = $n
group by
  series_id;

/* prepared: delete-chunks */
delete from scalar_chunk c using unnest($n::bigint[], $n::bigint[], $n::bigint[]) as k (series_id, file_id, first_ordinal)
where
  c.tenant_id = $n
  and c.series_id = k.series_id
  and c.file_id = k.file_id
  and c.first_ordinal = k.first_ordinal;

/* prepared: read-chunk-bodies */
select
  c.series_id,
  c.file_id,
  c.first_ordinal,
  c.body
from
  unnest($n::bigint[], $n::bigint[], $n::bigint[]) as k (series_id, file_id, first_ordinal)
  join scalar_chunk c on c.tenant_id = $n
  and c.series_id = k.series_id
  and c.file_id = k.file_id
  and c.first_ordinal = k.first_ordinal;

/* prepared: read-chunk-heads */
select
  c.series_id,
  c.file_id,
  c.first_ordinal,
  c.after_offset,
  c.count,
  c.first_step,
  c.last_step,
  c.superseded
from
  unnest($n::bigint[], $n::bigint[]) as i (series_id, from_step)
  join scalar_chunk c on c.tenant_id = $n
  and c.series_id = i.series_id
where
  (
    not c.superseded
    and (
      c.last_step >= i.from_step
      or (
        c.file_id = $n::bigint
        and c.count < $n
      )
      or c.file_id = any ($n::bigint[])
    )
  )
  or (
    c.superseded
    and c.count < $n
  );

copy scalar_chunk (
  tenant_id,
  series_id,
  file_id,
  first_ordinal,
  superseded,
  after_offset,
  count,
  nan_count,
  first_step,
  last_step,
  stride,
  min_step,
  max_step,
  first_wall,
  last_wall,
  min_wall,
  max_wall,
  first_value,
  last_value,
  min_value,
  max_value,
  c64_first_step,
  c64_last_step,
  c64_min_step,
  c64_max_step,
  c64_min_at,
  c64_max_at,
  c64_wall,
  c64_first,
  c64_last,
  c64_min,
  c64_max,
  c64_first8,
  c64_last8,
  c64_min8,
  c64_max8,
  c512_first_step,
  c512_last_step,
  c512_min_step,
  c512_max_step,
  c512_min_at,
  c512_max_at,
  c512_wall,
  c512_first,
  c512_last,
  c512_min,
  c512_max,
  c512_first8,
  c512_last8,
  c512_min8,
  c512_max8,
  body
)
from
  stdin
with
  (format binary);

copy staged_scalar_chunk (
  tenant_id,
  series_id,
  file_id,
  first_ordinal,
  superseded,
  after_offset,
  count,
  nan_count,
  first_step,
  last_step,
  stride,
  min_step,
  max_step,
  first_wall,
  last_wall,
  min_wall,
  max_wall,
  first_value,
  last_value,
  min_value,
  max_value,
  c64_first_step,
  c64_last_step,
  c64_min_step,
  c64_max_step,
  c64_min_at,
  c64_max_at,
  c64_wall,
  c64_first,
  c64_last,
  c64_min,
  c64_max,
  c64_first8,
  c64_last8,
  c64_min8,
  c64_max8,
  c512_first_step,
  c512_last_step,
  c512_min_step,
  c512_max_step,
  c512_min_at,
  c512_max_at,
  c512_wall,
  c512_first,
  c512_last,
  c512_min,
  c512_max,
  c512_first8,
  c512_last8,
  c512_min8,
  c512_max8,
  body
)
from
  stdin
with
  (format binary);

create temp table if not exists staged_scalar_chunk (like public.scalar_chunk including storage including defaults) on
commit delete rows;

delete from staged_scalar_chunk;

insert into
  scalar_chunk (
    tenant_id,
    series_id,
    file_id,
    first_ordinal,
    superseded,
    after_offset,
    count,
    nan_count,
    first_step,
    last_step,
    stride,
    min_step,
    max_step,
    first_wall,
    last_wall,
    min_wall,
    max_wall,
    first_value,
    last_value,
    min_value,
    max_value,
    c64_first_step,
    c64_last_step,
    c64_min_step,
    c64_max_step,
    c64_min_at,
    c64_max_at,
    c64_wall,
    c64_first,
    c64_last,
    c64_min,
    c64_max,
    c64_first8,
    c64_last8,
    c64_min8,
    c64_max8,
    c512_first_step,
    c512_last_step,
    c512_min_step,
    c512_max_step,
    c512_min_at,
    c512_max_at,
    c512_wall,
    c512_first,
    c512_last,
    c512_min,
    c512_max,
    c512_first8,
    c512_last8,
    c512_min8,
    c512_max8,
    body
  )
select
  tenant_id,
  series_id,
  file_id,
  first_ordinal,
  superseded,
  after_offset,
  count,
  nan_count,
  first_step,
  last_step,
  stride,
  min_step,
  max_step,
  first_wall,
  last_wall,
  min_wall,
  max_wall,
  first_value,
  last_value,
  min_value,
  max_value,
  c64_first_step,
  c64_last_step,
  c64_min_step,
  c64_max_step,
  c64_min_at,
  c64_max_at,
  c64_wall,
  c64_first,
  c64_last,
  c64_min,
  c64_max,
  c64_first8,
  c64_last8,
  c64_min8,
  c64_max8,
  c512_first_step,
  c512_last_step,
  c512_min_step,
  c512_max_step,
  c512_min_at,
  c512_max_at,
  c512_wall,
  c512_first,
  c512_last,
  c512_min,
  c512_max,
  c512_first8,
  c512_last8,
  c512_min8,
  c512_max8,
  body
from
  staged_scalar_chunk;

select
  row_security_active($n::text) as active;
