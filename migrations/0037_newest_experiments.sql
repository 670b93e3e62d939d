-- plotline:no-transaction
create index concurrently experiment_newest on experiment (tenant_id, created_at desc nulls last, experiment_id collate "C");
