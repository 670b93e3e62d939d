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
