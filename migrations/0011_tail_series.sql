-- How many series a block of a tail has: when a tail is cut is told by points a series, of all series in it.

alter table run_tail add column series integer not null default 0;
comment on column run_tail.series is 'How many series have points in the block; 0 in rows of before this column.';
