select
  "tenant_id",
  "link_id"
from
  "share_link_route"
where
  "link_hash" = $n;
