/* add-stored-bytes */
update experiment_epoch
set
  stored_bytes = stored_bytes + $n
where
  tenant_id = $n
  and experiment_id = $n;
