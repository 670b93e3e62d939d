-- returns ?column? integer
/* claim-idempotency-key */
insert into
  idempotency_key as k (tenant_id, key_hash, request_hash, created_at)
values
  ($n, …, now())
on conflict (tenant_id, key_hash) do update
set
  request_hash = excluded.request_hash,
  status = null,
  response = null,
  created_at = excluded.created_at
where
  k.created_at < $n
returning
  1;

-- returns kept_since timestamptz
/* read-kept-since */
select
  now() - make_interval(hours => $n) as kept_since;

-- returns request_hash bytea, status integer, response jsonb
select
  /* claim-idempotency-key-idempotency-key */
  "request_hash",
  "status",
  "response"
from
  "idempotency_key"
where
  "tenant_id" = $n
  and "key_hash" = $n;
