-- returns file_id bigint
/* insert-file-event-file */
insert into
  event_file (tenant_id, experiment_id, run_id, name, name_hash, version)
values
  ($n, …)
on conflict (tenant_id, run_id, name_hash, version) do nothing
returning
  file_id;

/* insert-file-file-progress */
insert into
  file_progress (tenant_id, file_id, run_id, experiment_id)
values
  ($n, …);
