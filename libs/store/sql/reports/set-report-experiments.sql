/* set-report-experiments */
update report
set
  experiments = $n::text[]
where
  tenant_id = $n
  and report_id = $n;
