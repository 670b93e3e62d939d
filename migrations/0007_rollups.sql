-- Rollups above the chunk: one row says what 8 neighbouring effective chunks say together, one of the next level what 8 such rows do, so that a
-- chart of a long series reads few rows.

create table scalar_rollup (
  tenant_id uuid not null,
  series_id bigint not null,
  level smallint not null,
  first_step bigint not null,
  last_step bigint not null,
  points bigint not null,
  chunks bigint not null,
  cells512 bigint not null,
  cells64 bigint not null,
  points_before bigint not null,
  chunks_before bigint not null,
  cells512_before bigint not null,
  cells64_before bigint not null,
  first_value double precision not null,
  last_value double precision not null,
  min_value double precision,
  max_value double precision,
  min_step bigint,
  max_step bigint,
  first_wall double precision not null,
  constraint scalar_rollup_pkey primary key (tenant_id, series_id, level, last_step),
  constraint scalar_rollup_series_fkey foreign key (tenant_id, series_id) references series (tenant_id, series_id) on delete cascade,
  constraint scalar_rollup_level_check check (level > 0)
);
comment on table scalar_rollup is 'Level 1: what 8 consecutive effective chunks of a series say together; level l + 1: what 8 consecutive rows of level l do. The prefix rule: the rows of a level stand for exactly the effective chunks of the series whose last step is not above the largest last_step of the level. Who changes such chunks removes the rows from there on, at every level, in the same transaction.';
comment on column scalar_rollup.chunks is 'Effective chunks in the row: 8 to the power of the level.';
comment on column scalar_rollup.cells64 is 'Cells of 64 points that these chunks have.';
comment on column scalar_rollup.points_before is 'Points in all rows of the level before this one, as chunks_before and the like: how much lies between two rows is a subtraction.';
comment on column scalar_rollup.min_value is 'Skips NaN and includes infinities; null when every value is NaN.';

create table series_to_roll_up (
  tenant_id uuid not null,
  run_id bigint not null,
  series_id bigint not null,
  constraint series_to_roll_up_pkey primary key (tenant_id, run_id, series_id),
  constraint series_to_roll_up_series_fkey foreign key (tenant_id, series_id) references series (tenant_id, series_id) on delete cascade
);
comment on table series_to_roll_up is 'Series with enough chunks behind their rollups for more of them. Written in the transaction that stores chunks, so that no crash forgets a series.';
create index series_to_roll_up_series on series_to_roll_up (tenant_id, series_id);

-- What is stored already is rolled up like new chunks.
insert into series_to_roll_up (tenant_id, run_id, series_id)
select s.tenant_id, s.run_id, s.series_id
from series s
join (
  select c.tenant_id, c.series_id from scalar_chunk c where not c.superseded group by c.tenant_id, c.series_id having count(*) > 8
) c on c.tenant_id = s.tenant_id and c.series_id = s.series_id;

alter table scalar_rollup enable row level security;
create policy scalar_rollup_tenant on scalar_rollup using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);
alter table series_to_roll_up enable row level security;
create policy series_to_roll_up_tenant on series_to_roll_up using (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid) with check (tenant_id = nullif(current_setting('app.tenant', true), '')::uuid);

grant select, insert, update, delete on scalar_rollup, series_to_roll_up to plotline_app;
grant select, insert, delete on scalar_rollup, series_to_roll_up to plotline_ingest;
-- Series that wait are offered to a worker as pending segments are.
grant select on series_to_roll_up to plotline_sweeper;
