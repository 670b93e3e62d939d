-- returns tenant_id uuid, person_id uuid, credential_until timestamptz, token_id uuid
update "sign_in_link"
set
  "used_at" = now()
where
  "link_hash" = $n
  and "used_at" is null
  and "expires_at" > now()
returning
  "tenant_id",
  "person_id",
  "credential_until",
  "token_id" /* use-sign-in-link */;

insert into
  "sign_in_link" ("link_hash", "tenant_id", "person_id", "expires_at", "credential_until", "token_id")
values
  ($n, …, least(now() + make_interval(secs => $n), $n::timestamptz), $n, …) /* insert-sign-in-link */;
