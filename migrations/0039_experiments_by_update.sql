-- plotline:no-transaction
create index concurrently experiment_by_update on experiment (tenant_id, updated_at nulls first, experiment_id collate "C");
