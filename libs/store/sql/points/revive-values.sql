-- returns file_id bigint, ordinal bigint, record_offset bigint, step bigint, superseded boolean
/* read-value-places */
select
  file_id,
  ordinal,
  record_offset,
  step,
  superseded
from
  "blob_sequence_value"
where
  tenant_id = $n
  and series_id = $n;

-- returns file_id bigint, ordinal bigint, record_offset bigint, step bigint, superseded boolean
/* read-value-places */
select
  file_id,
  ordinal,
  record_offset,
  step,
  superseded
from
  "tensor_value"
where
  tenant_id = $n
  and series_id = $n;

/* revive-values */
update "blob_sequence_value" v
set
  superseded = false
from
  unnest($n::bigint[], $n::bigint[]) as u (file_id, ordinal)
where
  v.tenant_id = $n
  and v.series_id = $n
  and v.file_id = u.file_id
  and v.ordinal = u.ordinal;

/* revive-values */
update "tensor_value" v
set
  superseded = false
from
  unnest($n::bigint[], $n::bigint[]) as u (file_id, ordinal)
where
  v.tenant_id = $n
  and v.series_id = $n
  and v.file_id = u.file_id
  and v.ordinal = u.ordinal;
