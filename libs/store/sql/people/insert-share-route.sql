insert into
  "share_link_route" ("link_hash", "tenant_id", "link_id")
values
  ($n, …) /* insert-share-route */;
