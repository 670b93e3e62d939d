-- returns ?column? integer
/* remove-report-lock */
select
  1
from
  report
where
  tenant_id = $n
  and report_id = $n
for update;

-- returns link_id uuid
/* remove-report-link */
select
  link_id
from
  report_link
where
  tenant_id = $n
  and report_id = $n;

/* remove-report */
delete from report
where
  tenant_id = $n
  and report_id = $n;

/* remove-report-share-link-route */
delete from share_link_route
where
  tenant_id = $n
  and link_id = any ($n::uuid[]);
