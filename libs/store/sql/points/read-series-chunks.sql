-- returns file_id bigint, first_ordinal bigint, after_offset bigint, count integer, first_step bigint, last_step bigint, superseded boolean
/* read-series-chunks */
select
  file_id,
  first_ordinal,
  after_offset,
  count,
  first_step,
  last_step,
  superseded
from
  scalar_chunk
where
  tenant_id = $n
  and series_id = $n;
