-- returns tenant_id uuid
/* read-tenants-with-expired-rows */
select
  w.tenant_id
from
  workspace w
where
  exists (
    select
      1
    from
      idempotency_key k
    where
      k.tenant_id = w.tenant_id
      and k.created_at < now() - make_interval(hours => $n)
  )
  or exists (
    select
      1
    from
      uploader_request u
    where
      u.tenant_id = w.tenant_id
      and u.received_at < now() - make_interval(hours => $n)
  )
limit
  $n;
