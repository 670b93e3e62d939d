-- plotline:no-transaction
create index concurrently run_state_newest on run_state (tenant_id, experiment_id, start_time desc nulls last, run_id desc);
