-- returns series_id bigint
/* read-series-with-points */
select
  s.series_id
from
  unnest($n::bigint[]) as s (series_id)
where
  exists (
    select
    from
      scalar_chunk c
    where
      c.tenant_id = $n
      and c.series_id = s.series_id
  )
  or exists (
    select
    from
      tensor_value v
    where
      v.tenant_id = $n
      and v.series_id = s.series_id
  )
  or exists (
    select
    from
      blob_sequence_value b
    where
      b.tenant_id = $n
      and b.series_id = s.series_id
  );
