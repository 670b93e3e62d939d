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
