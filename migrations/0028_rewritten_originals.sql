-- A deletion of points rewrites the stored event files that hold them, instead of dropping these files. A name of a deleted run may be used again.

alter table event_file add column rewritten_bytes bigint not null default 0;
alter table event_file add column rewritten_crc32c bigint;
alter table event_file add column received_crc32c bigint;
comment on column event_file.rewritten_bytes is 'The first bytes of the file that are kept without deleted points, in as many bytes as were received. 0: all bytes are kept as they were received.';
comment on column event_file.rewritten_crc32c is 'CRC-32C of the rewritten bytes as they are kept.';
comment on column event_file.received_crc32c is 'CRC-32C of the rewritten bytes, or of the dropped ones, as they were received. Null: there are none, or it is not known.';

alter table deletion add column rewritten_files bigint not null default 0;
alter table deletion add column rewritten_bytes bigint not null default 0;
comment on column deletion.rewritten_files is 'Files that are kept without the deleted points.';
comment on column deletion.rewritten_bytes is 'Bytes of these files.';

alter table deleted_run add column file_hashes bytea[];
comment on column deleted_run.file_hashes is 'SHA-256 of the names of its files: these are refused, files with other names begin a new run. Null: of a run that was deleted before this was noted; all are refused.';
comment on table deleted_run is 'Names of deleted runs, as hashes: an upload that still goes on must not bring them back. The row goes when an upload that began later takes the name.';
