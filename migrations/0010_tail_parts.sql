-- The tail of a run in blocks of few series: a chart of one tag reads those that may have it, and not the points of all tags.

alter table run_tail
  add column part smallint not null default 0,
  add column first_series bigint not null default 0,
  add column last_series bigint not null default 9223372036854775807,
  drop constraint run_tail_pkey,
  add constraint run_tail_pkey primary key (tenant_id, run_id, tail_no, part);
comment on column run_tail.part is 'Blocks of one number hold different series, by rising ids: a commit of few points is one block.';
comment on column run_tail.first_series is 'Smallest id of the series in the block; rows of before this column may have any.';
comment on column run_tail.last_series is 'Largest id of the series in the block.';
comment on table run_tail is 'New points of all series of a live run, a number a commit, until they are cut into chunks.';
