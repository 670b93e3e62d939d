-- plotline:no-transaction
create index concurrently experiment_by_name on experiment (tenant_id, name collate "C" nulls first, experiment_id collate "C");
