/* remove-expired-sign-ins-browser-session */
delete from browser_session
where
  session_hash in (
    select
      session_hash
    from
      browser_session
    where
      expires_at < now()
    order by
      expires_at
    limit
      $n
    for update
      skip locked
  );

/* remove-expired-sign-ins-sign-in-link */
delete from sign_in_link
where
  link_hash in (
    select
      link_hash
    from
      sign_in_link
    where
      expires_at < now()
    order by
      expires_at
    limit
      $n
    for update
      skip locked
  );

/* remove-idempotency-keys */
delete from idempotency_key
where
  tenant_id = $n
  and key_hash in (
    select
      key_hash
    from
      idempotency_key
    where
      tenant_id = $n
      and created_at < now() - make_interval(hours => $n)
    order by
      created_at
    limit
      $n
    for update
      skip locked
  );

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
