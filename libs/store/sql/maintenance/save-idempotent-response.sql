/* save-idempotent-answer-delete-idempotency-key */
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
    limit
      100
    for update
      skip locked
  );

update "idempotency_key"
set
  "status" = $n,
  "response" = $n
where
  "tenant_id" = $n
  and "key_hash" = $n /* save-idempotent-answer-idempotency-key */;
