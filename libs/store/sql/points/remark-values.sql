/* remark-values */
update "blob_sequence_value" v
set
  superseded = u.superseded,
  series_id = u.to_series
from
  unnest($n::bigint[], $n::bigint[], $n::bigint[], $n::bigint[], $n::boolean[]) as u (from_series, file_id, ordinal, to_series, superseded)
where
  v.tenant_id = $n
  and v.series_id = u.from_series
  and v.file_id = u.file_id
  and v.ordinal = u.ordinal;

/* remark-values */
update "tensor_value" v
set
  superseded = u.superseded,
  series_id = u.to_series
from
  unnest($n::bigint[], $n::bigint[], $n::bigint[], $n::bigint[], $n::boolean[]) as u (from_series, file_id, ordinal, to_series, superseded)
where
  v.tenant_id = $n
  and v.series_id = u.from_series
  and v.file_id = u.file_id
  and v.ordinal = u.ordinal;
