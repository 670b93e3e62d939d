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
