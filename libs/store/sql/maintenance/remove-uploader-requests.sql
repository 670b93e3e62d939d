/* remove-uploader-requests */
delete from uploader_request r using (
  select
    experiment_id,
    request_hash
  from
    uploader_request
  where
    tenant_id = $n
    and received_at < now() - make_interval(hours => $n)
  order by
    received_at
  limit
    $n
  for update
    skip locked
) old
where
  r.tenant_id = $n
  and r.experiment_id = old.experiment_id
  and r.request_hash = old.request_hash;
