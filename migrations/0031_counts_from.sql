-- From where the points of a file count that had been a copy when its first bytes were given up.

alter table file_progress add column counts_from bigint not null default 0;
comment on column file_progress.counts_from is 'The points of the file begin here: it was a copy of another one while its first bytes were given up. 0: all its points are stored.';
