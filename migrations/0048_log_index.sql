-- Logs of runs: where the lines of their files begin.

create table log_index (
  tenant_id uuid not null,
  file_id bigint not null,
  "offset" bigint not null,
  lines bigint not null,
  run_id bigint not null,
  experiment_id text not null,
  constraint log_index_pkey primary key (tenant_id, file_id, "offset"),
  constraint log_index_file_fkey foreign key (tenant_id, file_id) references event_file (tenant_id, file_id) on delete cascade
);
comment on table log_index is
  'Entries into the logs of runs, one per 64 KiB, so that a line is found without reading what comes before it. The entry at 0 says that the file is a log. file_progress has the ends: parsed_offset of the bytes, records of the whole lines, needs_offset where the unfinished last line begins.';
comment on column log_index.lines is 'Line feeds before the offset.';
create index log_index_experiment on log_index (tenant_id, experiment_id, file_id) where "offset" = 0;
alter table log_index enable row level security;
create policy log_index_tenant on log_index using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
grant select on log_index to plotline_app;
grant select, insert on log_index to plotline_ingest;
