insert into "access_token" ("tenant_id", "token_id", "person_id", "name", "hint", "expires_at")
values ($n, …);

insert into "access_token" ("tenant_id", "token_id", "person_id", "name", "hint", "scopes", "experiments", "expires_at")
values ($n, …);
