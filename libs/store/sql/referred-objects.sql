select s.object_key
from segment s
join unnest($n::bigint[], $n::bigint[]) as k(file_id, "offset") on s.tenant_id = $n
and s.file_id = k.file_id
and s."offset" = k."offset"
where s.object_key is not null;
