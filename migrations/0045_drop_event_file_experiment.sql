-- plotline:no-transaction
drop index concurrently event_file_experiment;
