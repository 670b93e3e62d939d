/* prepared: read-segments */ select "offset", length, crc32c, encoding, body, object_key
from segment
where tenant_id = $n
and file_id = $n
and epoch is not null
and "offset" < $n
and "offset" > $n::bigint - $n::bigint
and "offset" + length > $n
order by "offset"
limit $n;
