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

-- returns offset bigint, bytes bigint
/* find-lost-range */
select
  l."offset",
  l.bytes
from
  lost_range l
  join event_file f on f.tenant_id = $n
  and f.file_id = l.file_id
where
  l.tenant_id = $n
  and l.file_id = $n
  and l."offset" < $n
  and l."offset" + l.bytes > $n
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
  )
order by
  l."offset"
limit
  1;

/* keep-lost-ranges */
delete from lost_range
where
  tenant_id = $n
  and object_key <> all ($n::text[]);

/* write-lost-ranges */
insert into
  lost_range (tenant_id, file_id, object_key, "offset", bytes, reason)
select
  $n::uuid,
  u.file_id,
  u.object_key,
  u."offset",
  u.bytes,
  u.reason
from
  unnest($n::bigint[], $n::text[], $n::bigint[], $n::bigint[], $n::text[]) as u (file_id, object_key, "offset", bytes, reason)
on conflict (tenant_id, file_id, object_key) do update
set
  reason = excluded.reason;
