/* insert-report-link */
insert into
  report_link (tenant_id, link_id, report_id, name, made_by, anonymous, expires_at)
values
  ($n, …);
