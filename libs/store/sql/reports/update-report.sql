/* update-report */
update report
set
  title = coalesce($n::text, title),
  body = coalesce($n::text, body),
  experiments = coalesce($n::text[], experiments),
  version = version + 1,
  updated_at = now(),
  updated_by = $n
where
  tenant_id = $n
  and report_id = $n
  and version = $n;
