copy blob_sequence_value (tenant_id, series_id, file_id, ordinal, record_offset, step, wall_time, superseded, blob_sha256, blob_bytes)
from stdin with (format binary);

copy tensor_value (tenant_id, series_id, file_id, ordinal, record_offset, step, wall_time, superseded, dtype, shape, bytes, body, object_key)
from stdin with (format binary);

update "blob_sequence_value"
set superseded = true
where tenant_id = $n
and series_id = any($n::bigint[])
and not superseded
and step >= $n
and (file_id = any($n::bigint[])
or (file_id = $n
and record_offset < $n))
returning series_id;

update "tensor_value"
set superseded = true
where tenant_id = $n
and series_id = any($n::bigint[])
and not superseded
and step >= $n
and (file_id = any($n::bigint[])
or (file_id = $n
and record_offset < $n))
returning series_id;
