import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadModule } from 'libpg-query';
import { beforeAll, describe, expect, it } from 'vitest';
import { committedSqlFolder, statementsOf } from '#testing';
import { type GlobalHandle, globalTables, type SweeperHandle, sweptTables } from './handles.ts';
import { claimMaintenance } from './queries/maintenance/claim-maintenance.ts';
import { readRunsToRollUp } from './queries/maintenance/read-runs-to-roll-up.ts';
import type { Store } from './store.ts';
import { tableUses } from './testing/tenant-conditions.ts';

/*
 * The compiler must reject this code. `npm run check:types` fails if one of the marked lines
 * compiles. The functions are not called.
 */

const rejected = {
  'a table of tenants outside a transaction of one': ({ global }: Store) =>
    // @ts-expect-error -- has a tenant
    global.selectFrom('run').selectAll(),
  'a join of a global table with one of tenants': ({ global }: Store) =>
    // @ts-expect-error -- has a tenant
    global.selectFrom('person').innerJoin('workspace_member', 'workspace_member.person_id', 'person.person_id').selectAll(),
  'a write to a table of tenants outside a transaction of one': ({ global }: Store) =>
    // @ts-expect-error -- has a tenant
    global.deleteFrom('experiment'),
  'a table that the sweeper may not read': ({ sweeper }: Store) =>
    // @ts-expect-error -- no grant
    sweeper.selectFrom('scalar_chunk').selectAll(),
  'a column that the sweeper may not read': ({ sweeper }: Store) =>
    // @ts-expect-error -- the grant names columns
    sweeper.selectFrom('audit_entry').select('address'),
  'a global table of the sweeper': ({ sweeper }: Store) =>
    // @ts-expect-error -- no grant
    sweeper.selectFrom('person').selectAll(),
  'a write of the sweeper': ({ sweeper }: Store) =>
    // @ts-expect-error -- it only reads
    sweeper.updateTable('run_work'),
  'a query of the sweeper on the global handle': (global: GlobalHandle) =>
    // @ts-expect-error -- another role
    readRunsToRollUp(global, 1),
  'a global query on the handle of the sweeper': (sweeper: SweeperHandle) =>
    // @ts-expect-error -- another role
    claimMaintenance(sweeper, 'audit', 1),
};
void rejected;

const permitted = {
  'a global table': ({ global }: Store) => global.selectFrom('token_route').select('tenant_id'),
  'a column of which the grant says so': ({ sweeper }: Store) => sweeper.selectFrom('audit_entry').select('at'),
};
void permitted;

const queries = join(import.meta.dirname, 'queries');
const sources = globSync('**/*.ts', { cwd: queries })
  .filter((file) => !file.endsWith('.spec.ts'))
  .map((file) => ({ file, source: readFileSync(join(queries, file), 'utf8') }));
const database = readFileSync(join(import.meta.dirname, 'database.ts'), 'utf8');
const tables = [...database.slice(database.indexOf('export interface Database {')).matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name!);

/** The committed statements from query files that use this handle but no scope. */
function statementsWith(handle: string): { readonly file: string; readonly sql: string }[] {
  return sources
    .filter(({ source }) => source.includes(`: ${handle}`) && !/: \w*(Scope|Snapshot)\b/.test(source))
    .flatMap(({ file }) => {
      const committed = join(committedSqlFolder, file.replace(/\.ts$/, '.sql'));
      return existsSync(committed) ? statementsOf(readFileSync(committed, 'utf8')).map((text) => ({ file, text })) : [];
    })
    .map(({ file, text }) => ({ file, sql: text.replaceAll(/,\s*…/g, '').replaceAll('$n', '$1') }));
}

/** The compiler does not read the text of hand-written SQL. */
describe('hand-written statements', () => {
  beforeAll(() => loadModule());

  it.each([
    { handle: 'SweeperHandle', readable: Object.keys(sweptTables), least: 12 },
    { handle: 'GlobalHandle', readable: globalTables, least: 20 },
  ])('of a $handle use its tables alone', ({ handle, readable, least }) => {
    const statements = statementsWith(handle);
    expect(statements.length).toBeGreaterThan(least);
    const others = new Set(tables.filter((name) => !readable.includes(name)));
    expect(others.size).toBeGreaterThan(30);
    expect(statements.flatMap(({ file, sql }) => tableUses(sql, others).map(({ table }) => `${file}: ${table}`))).toEqual([]);
  });

  it('run on a handle or in a scope, never on a connection of all tables', () => {
    const wide = sources.filter(({ source }) => source.includes('Kysely<Database>')).map(({ file }) => file);
    // The first type gets a scope's transaction. The second belongs to the operator.
    expect(wide.sort()).toEqual(['experiments/filter-sql.ts', 'maintenance/list-workspaces.ts']);
  });
});
