insert into
  "token_route" ("token_hash", "tenant_id", "token_id")
values
  ($n, …) /* insert-token-route */;
