-- returns object_key text
/* delete-segments-before */
delete from segment
where
  tenant_id = $n
  and file_id = $n
  and "offset" < $n
returning
  object_key;
