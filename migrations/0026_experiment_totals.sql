-- Lists of experiments add up what is counted of each run, and look at neither series nor tails of scalars.

create index run_state_experiment on run_state (tenant_id, experiment_id);
create index run_deleted on run (tenant_id, run_id) where deleted_at is not null;
create index series_values on series (tenant_id, experiment_id, run_id, series_id) where data_class <> 'scalar';
