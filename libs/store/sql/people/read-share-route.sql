-- returns tenant_id uuid, link_id uuid
select
  /* read-share-route */
  "tenant_id",
  "link_id"
from
  "share_link_route"
where
  "link_hash" = $n;
