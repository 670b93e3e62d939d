-- returns file_id bigint
/* insert-file-event-file */
insert into
  event_file (tenant_id, file_id, experiment_id, run_id, name, name_hash, version)
overriding system value
values
  ($n, …)
on conflict do nothing
returning
  file_id;

/* insert-file-file-progress */
insert into
  file_progress (tenant_id, file_id, run_id, experiment_id)
values
  ($n, …);

/* insert-file-find-version */
select
from
  event_file
where
  tenant_id = $n
  and run_id = $n
  and name_hash = $n
  and version = $n;
