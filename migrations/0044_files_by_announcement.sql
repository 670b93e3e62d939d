-- plotline:no-transaction
create index concurrently event_file_announced on event_file (tenant_id, experiment_id, created_at, file_id);
