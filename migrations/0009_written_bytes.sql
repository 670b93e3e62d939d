-- Less to write for each commit of a live run. Measured with `bench storage --live`: a third of what was written were statistics, most of them
-- samples of columns that no condition names.

-- Some numbers take 12 bytes as text and 60 as jsonb, and nobody looks into them here.
alter table progress_batch alter column changes type json;
alter table progress_view alter column changes type json;

-- Contents: read with their rows, never searched.
do $$
declare
  content record;
begin
  for content in
    select a.attrelid::regclass as place, a.attname
      from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
       and (a.attname ~ '^c(64|512)_'
         or (c.relname, a.attname) in (('segment', 'body'), ('scalar_chunk', 'body'), ('run_tail', 'body'), ('tensor_value', 'body'), ('tensor_value', 'shape'),
              ('blob_sequence_value', 'blob_bytes'), ('series', 'plugin_content'), ('run', 'hparams'), ('idempotency_key', 'response'),
              ('progress_batch', 'changes'), ('progress_view', 'changes')))
  loop
    execute format('alter table %s alter column %I set statistics 0', content.place, content.attname);
  end loop;
end $$;

-- One row of an experiment, a run or a file, changed by each commit: another sample of it would say the same. After the first thousand changes the
-- share of the table counts, as usual. Tables that are emptied again and again keep their pages: giving them back takes a lock that nobody else bears, and they are wanted again at once.
alter table run_state set (autovacuum_analyze_threshold = 1000);
alter table run_work set (autovacuum_analyze_threshold = 1000);
alter table event_file set (autovacuum_analyze_threshold = 1000);
alter table file_progress set (autovacuum_analyze_threshold = 1000);
alter table experiment_epoch set (autovacuum_analyze_threshold = 1000);
alter table progress_view set (autovacuum_analyze_threshold = 1000);
alter table progress_heard set (autovacuum_analyze_threshold = 1000);
alter table pending_segment set (autovacuum_analyze_threshold = 1000, vacuum_truncate = false);
alter table progress_batch set (autovacuum_analyze_threshold = 1000, vacuum_truncate = false);
alter table run_tail set (autovacuum_analyze_threshold = 1000, vacuum_truncate = false, toast.vacuum_truncate = false);
