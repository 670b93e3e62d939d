-- Writers with wrong data checksums: their records are read, and counted.

alter table file_progress add column unverified_records bigint not null default 0;
comment on column file_progress.unverified_records is 'The first records of the file, which were read though their data checksums are wrong: all of its records were like that so far (data rule 8).';
