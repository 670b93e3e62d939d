-- returns series_id bigint, file_id bigint, first_ordinal bigint, after_offset bigint, count integer, first_step bigint, last_step bigint, superseded boolean
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
