/* insert-report */
insert into
  report (tenant_id, report_id, owner_id, updated_by, title, body, experiments)
values
  ($n, …::text[]);
