import { loadModule } from 'libpg-query';
import { beforeAll, describe, expect, it } from 'vitest';
import { migrationHazards } from './migration-hazards.ts';

describe('migrationHazards', () => {
  beforeAll(() => loadModule());

  it.each([
    ['create index a on t (b)', 'index-not-concurrent t'],
    ['create index concurrently a on t (b)', 'concurrent-index-in-transaction t'],
    ['-- plotline:no-transaction\nselect 1; select 2', 'not-one-statement-outside-a-transaction'],
    ['update t set a = 1', 'rows-changed-in-transaction t'],
    ['delete from t', 'rows-changed-in-transaction t'],
    ['alter table t rename column a to b', 'rename t'],
    ['alter table t rename to u', 'rename t'],
    ['drop table t', 'drop-without-contract t'],
    ['alter table t drop column a', 'drop-without-contract t'],
    ['alter table t alter column a type text', 'type-changed t'],
    ['alter table t alter column a set not null', 'not-null-set t'],
    ['alter table t add constraint c check (a > 0)', 'constraint-validated-under-lock t'],
    ['alter table t add constraint c foreign key (a) references u (a)', 'constraint-validated-under-lock t'],
    ['alter table t add constraint c unique (a)', 'unique-without-index t'],
    ['alter table t add column a int not null', 'not-null-without-default t'],
    ['alter table t add column a int references u (a)', 'constraint-with-column t'],
    ['alter table t add column a uuid default gen_random_uuid()', 'table-rewritten t'],
    ['alter table t add column a bigint generated always as identity', 'table-rewritten t'],
  ])('detects: %s', (sql, hazard) => {
    expect(migrationHazards(sql)).toEqual([hazard]);
  });

  it.each([
    'create table t (a int not null, unique (a)); create index b on t (a); alter table t add constraint c check (a > 0)',
    '-- plotline:no-transaction\ncreate index concurrently a on t (b)',
    '-- plotline:no-transaction\nupdate t set a = 1 where a is null',
    '-- plotline:contract\nalter table t drop column a',
    '-- plotline:contract\ndrop table t',
    'alter table t add column a int',
    'alter table t add column a timestamptz not null default now()',
    'alter table t add constraint c check (a > 0) not valid',
    'alter table t validate constraint c',
    'alter table t add constraint c unique using index i',
    'alter table t drop constraint c',
    'grant select on t to r; comment on table t is $$a$$; drop policy p on t',
  ])('accepts: %s', (sql) => {
    expect(migrationHazards(sql)).toEqual([]);
  });
});
