-- returns object_key text, length integer, kept boolean, bytes integer
/* remove-segments */
delete from segment s using (
  select
    d.file_id,
    d."offset"
  from
    segment d
  where
    d.tenant_id = $n
    and d.file_id = any ($n::bigint[])
  limit
    $n
) d
where
  s.tenant_id = $n
  and s.file_id = d.file_id
  and s."offset" = d."offset"
returning
  s.object_key,
  s.length,
  s.epoch is null as kept,
  coalesce(octet_length(s.body), 0) as bytes;
