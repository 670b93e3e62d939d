-- What the reasons of file problems mean, in full: not every one is in the file itself.

comment on table file_problem is 'What was skipped in a file, and why. Reasons that are not in the file itself: quarantined, a record that could not be stored when tried again, also alone, is put aside; stored-bytes-lost, acknowledged bytes were damaged or gone where they are stored, by every try for PLOTLINE_LOST_BYTES_SECONDS, and the file ends there; reading-fails, ingest threads died over it though no record was to blame, and the file ends there.';
comment on column file_problem.ends_file is 'Nothing behind it is read.';
