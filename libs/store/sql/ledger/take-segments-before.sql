-- returns object_key text, length integer, bytes integer
/* take-segments-before */
delete from segment
where
  tenant_id = $n
  and file_id = $n
  and "offset" < $n
returning
  object_key,
  length,
  coalesce(octet_length(body), 0) as bytes;
