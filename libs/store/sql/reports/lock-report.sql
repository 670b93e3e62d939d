-- returns ?column? integer
/* read-report-shared */
select
  1
from
  report_link
where
  tenant_id = $n
  and report_id = $n
  and revoked_at is null
  and (
    expires_at is null
    or expires_at > now()
  )
limit
  1;

-- returns body text, experiments text[]
/* lock-report */
select
  body,
  experiments
from
  report
where
  tenant_id = $n
  and report_id = $n
for update;
