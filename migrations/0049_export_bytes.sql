-- Exports of event files show their progress in bytes.

alter table export_job add column total_bytes bigint not null default 0;
comment on column export_job.total_bytes is 'Bytes that an export of event files as uploaded will have, once a worker has it; 0 for other formats.';
comment on column export_job.bytes is 'Of the files; while event files as uploaded are exported, what is written so far. 0 for other formats until they have finished.';
