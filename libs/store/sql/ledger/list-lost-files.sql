-- returns file_id bigint
/* list-lost-files */
select distinct
  l.file_id
from
  lost_range l
  join event_file f on f.tenant_id = $n
  and f.file_id = l.file_id
where
  l.tenant_id = $n
  and l.file_id = any ($n::bigint[])
  and (
    f.original_key = l.object_key
    or exists (
      select
      from
        segment s
      where
        s.tenant_id = $n
        and s.file_id = l.file_id
        and s."offset" = l."offset"
        and s.object_key = l.object_key
    )
  );
