/* remove-report */
delete from report
where
  tenant_id = $n
  and report_id = $n;
