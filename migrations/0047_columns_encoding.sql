-- Segments may be stored as blocks of columns.

comment on column segment.encoding is
  'Of body or object. 0: the bytes as received, 1: zstd, 2: records without their checksums, '
  'packed by column (libs/originals), 3: a block of columns as received (libs/columns).';
