insert into "sign_in_link" ("link_hash", "tenant_id", "person_id", "expires_at")
values ($n, …);

update "sign_in_link"
set "used_at" = $n
where "link_hash" = $n
and "used_at" is null
and "expires_at" > $n
returning "tenant_id", "person_id";
