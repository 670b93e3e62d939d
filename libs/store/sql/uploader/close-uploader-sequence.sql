/* close-uploader-sequence */
with
  closed as (
    update uploader_sequence
    set
      is_open = false
    where
      tenant_id = $n
      and sequence_id = $n
  )
update uploader_blob
set
  body = null
where
  tenant_id = $n
  and sequence_id = $n;
