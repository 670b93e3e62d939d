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

-- returns series_id bigint, file_id bigint, first_ordinal bigint, body bytea
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

-- returns series_id bigint, points bigint
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
