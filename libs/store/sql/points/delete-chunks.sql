/* prepared: delete-chunks */
delete from scalar_chunk c using unnest($n::bigint[], $n::bigint[], $n::bigint[]) as k (series_id, file_id, first_ordinal)
where
  c.tenant_id = $n
  and c.series_id = k.series_id
  and c.file_id = k.file_id
  and c.first_ordinal = k.first_ordinal;
