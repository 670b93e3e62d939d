insert into
  "access_token" (
    "tenant_id",
    "token_id",
    "person_id",
    "name",
    "hint",
    "scopes",
    "experiments",
    "expires_at",
    "made_by"
  )
values
  ($n, …) /* insert-access-token */;
