-- returns object_key text, bytes bigint
/* take-objects-to-delete */
delete from object_to_delete o
where
  o.tenant_id = $n
  and o.object_key in (
    select
      object_key
    from
      object_to_delete
    where
      tenant_id = $n
      and deletion_id = $n
    order by
      object_key
    limit
      $n
  )
returning
  o.object_key,
  o.bytes;

/* insert-objects-to-delete */
insert into
  object_to_delete (tenant_id, object_key, deletion_id, bytes)
select distinct
  on (u.object_key) $n::uuid,
  u.object_key,
  $n::uuid,
  u.bytes
from
  unnest($n::text[], $n::bigint[]) as u (object_key, bytes)
on conflict (tenant_id, object_key) do nothing;
