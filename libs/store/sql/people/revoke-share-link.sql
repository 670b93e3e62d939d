-- returns made_by uuid, source_id text
select
  /* read-share-link-owner */
  "made_by",
  "source_id"
from
  "share_link"
where
  "tenant_id" = $n
  and "link_id" = $n;

/* revoke-share-link */
update share_link
set
  revoked_at = now()
where
  tenant_id = $n
  and link_id = $n
  and revoked_at is null;
