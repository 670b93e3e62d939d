import { loadModule } from 'libpg-query';
import { beforeAll, describe, expect, it } from 'vitest';
import { tableUses } from './tenant-conditions.ts';

const tables = new Set(['run', 'series', 'experiment']);
const unbound = (sql: string) =>
  tableUses(sql, tables)
    .filter(({ isBound }) => !isBound)
    .map(({ alias }) => alias);

beforeAll(() => loadModule());

describe('tables of tenants without a tenant condition', () => {
  it.each([
    ['select from run where tenant_id = $1', []],
    ['select from run r where r.tenant_id = $1::uuid and r.run_id = $2', []],
    ['select from run', ['run']],
    ['select from run r where r.run_id = $1', ['r']],
    // Conditions that do not apply to every row.
    ['select from run r where r.tenant_id = $1 or r.run_id = $2', ['r']],
    ['select from run r where not r.tenant_id = $1', ['r']],
    ['select from run r where r.tenant_id <> $1', ['r']],
    ['select from run r where r.tenant_id = r.tenant_id', ['r']],
    // Each of two tables needs a condition, and a second condition on the first table does not
    // count for the second table.
    ['select from run r, series s where r.tenant_id = $1 and r.tenant_id = $1 and s.run_id = r.run_id', ['s']],
    ['select from run r join series s on s.tenant_id = r.tenant_id where r.tenant_id = $1', []],
    ['select from run r join series s on s.tenant_id = r.tenant_id', ['r', 's']],
    ['select from run r join series s using (tenant_id, run_id) where r.tenant_id = $1', []],
    ['select from run r join series s using (tenant_id, run_id)', ['r', 's']],
    // An outer join restricts only the side that may be missing.
    ['select from run r left join series s on s.tenant_id = $1 where r.tenant_id = $1', []],
    ['select from run r left join series s on s.tenant_id = r.tenant_id and r.tenant_id = $1', ['r', 's']],
    ['select from run r full join series s on s.tenant_id = $1 and r.tenant_id = $1', ['r', 's']],
    // Subqueries and CTEs are separate levels.
    ['select from run r where r.tenant_id = $1 and exists (select from series s where s.run_id = r.run_id)', ['s']],
    ['select from run r where r.tenant_id = $1 and exists (select from series s where s.tenant_id = r.tenant_id)', []],
    ['with x as (select * from run) select from x', ['run']],
    ['with run as (select 1) select from run', []],
    ['with x as (select * from run where tenant_id = $1) select from series s join x on x.tenant_id = s.tenant_id', []],
    ['select from (select * from run) x', ['run']],
    ['select (select count(*) from run) from series where tenant_id = $1', ['run']],
    ['select from run where tenant_id = $1 union all select from series', ['series']],
    ['select from run r, lateral (select from series s where s.run_id = r.run_id) x where r.tenant_id = $1', ['s']],
    // Changes
    ['update run set name = $1', ['run']],
    ['update run set name = $1 where tenant_id = $2', []],
    ['update run r set name = s.tag from series s where s.tenant_id = $1 and r.tenant_id = s.tenant_id', []],
    ['update run r set name = s.tag from series s where r.tenant_id = $1', ['s']],
    ['delete from run where run_id = $1', ['run']],
    ['delete from run using series s where run.tenant_id = $1 and s.tenant_id = $1', []],
    ['insert into run (tenant_id, name) values ($1, $2)', []],
    ['insert into run (name) values ($1)', ['run']],
    ['insert into run (tenant_id, name) select $1, name from run', ['run']],
    ['insert into other (a) values (1)', []],
  ])('%s', (sql, expected) => {
    expect(unbound(sql)).toEqual(expected);
  });
});
