/* insert-service-account */
insert into
  service_account (tenant_id, person_id)
values
  ($n, …);
