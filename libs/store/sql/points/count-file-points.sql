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
