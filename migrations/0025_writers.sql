-- Writers: event files of one run that overlap in time are concurrent, and each has series of its own.

alter table series add column writer smallint not null default 0;
comment on column series.writer is 'The lane of the writer: 0 for nearly all runs. Files of one run that overlap in time have different lanes, so that no file of a series overlaps another one in time.';
comment on table series is 'A series is (run, tag, writer); its first metadata wins. A twin keeps values that are not of the class of the series, as raw tensors.';
alter table series
  drop constraint series_tag_key,
  add constraint series_tag_key unique (tenant_id, run_id, tag_hash, twin, writer);

alter table file_progress
  add column first_wall_time double precision,
  add column last_wall_time double precision,
  add column head_crc32c bigint,
  add column copy_of bigint,
  add column replaced boolean not null default false;
comment on column file_progress.first_wall_time is 'Smallest finite wall time of the events that were read; null: not known, or none.';
comment on column file_progress.last_wall_time is 'Largest finite wall time of the events that were read.';
comment on column file_progress.head_crc32c is 'CRC-32C of the first record of the file: files that may be copies of one another have the same. Null: not known.';
comment on column file_progress.copy_of is 'The file of the run whose bytes begin with those of this one: a copy adds no points.';
comment on column file_progress.replaced is 'A newer version of the file has readable events: all points of this one are superseded.';

alter table run_work add column remark boolean not null default false;
comment on column run_work.remark is 'A worker applies the rules to every point of the run once more.';
create index run_work_remark on run_work (tenant_id, run_id) where remark;

-- Copies are withdrawn, and points move between the series of writers.
grant delete on series, series_stats, session_start to plotline_ingest;
