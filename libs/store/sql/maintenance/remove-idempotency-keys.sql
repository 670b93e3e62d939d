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
