-- returns series_id bigint, data_class text, tag text
/* list-doomed-series */
select
  series_id,
  data_class,
  tag
from
  series
where
  tenant_id = $n
  and run_id = $n
  and (
    $n
    or tag_hash = any ($n::bytea[])
  )
order by
  series_id
limit
  $n;
