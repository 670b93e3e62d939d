-- returns made_by uuid
/* read-report-link-owner */
select
  made_by
from
  report_link
where
  tenant_id = $n
  and report_id = $n
  and link_id = $n;

/* revoke-report-link */
update report_link
set
  revoked_at = now()
where
  tenant_id = $n
  and link_id = $n
  and revoked_at is null;
