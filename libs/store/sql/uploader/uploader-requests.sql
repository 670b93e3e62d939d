-- returns ?column? integer
/* insert-uploader-request */
insert into
  uploader_request (tenant_id, experiment_id, request_hash)
values
  ($n, …)
on conflict (tenant_id, experiment_id, request_hash) do nothing
returning
  1;
