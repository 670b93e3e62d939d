-- Ids are made by the processes (ADR 34). Older versions use the sequences, which stay below 2^40.

comment on column run.run_id is
  'A random prefix for each experiment, then a count: ids have no order, and say nothing about '
  'other experiments.';
comment on column event_file.file_id is
  'A random prefix for each experiment, then a count: ids have no order, and say nothing about '
  'other experiments.';
comment on column series.series_id is
  'A random prefix for each experiment, then a count: ids have no order, and say nothing about '
  'other experiments.';
comment on column audit_entry.entry_id is
  'A random prefix for each workspace, then a count. The order of entries is that of at.';
comment on column audit_entry.at is 'When the transaction of the change began.';
