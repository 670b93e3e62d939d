import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadModule } from 'libpg-query';
import { beforeAll, describe, expect, it } from 'vitest';
import { committedSqlFolder, statementsOf } from '#testing';
import { globalTables } from './handles.ts';
import { type DistributedForm, distributedForms, unsupportedForms } from './testing/distributed-forms.ts';
import { overAllTenants } from './testing/over-all-tenants.ts';
import { tableUses } from './testing/tenant-conditions.ts';

/*
 * Every statement must run on a single Postgres server and on tables that Citus distributes by
 * tenant. The statements come from libs/store/sql, which a medium test compares with the statements
 * sent.
 */

/** Statements that intentionally have a special form, and the reason. */
const exceptions: Record<string, { readonly form: DistributedForm; readonly why: string }> = {
  'maintenance/read-pending-runs': { form: 'recursion', why: 'for a single server only; on a cluster distinctPending is used' },
  'maintenance/read-unheard': { form: 'recursion', why: 'for a single server only; on a cluster distinctUnheard is used' },
  'people/insert-signing-key': { form: 'INSERT … SELECT into a global table', why: 'one process at a time' },
  ...Object.fromEntries(
    ['copy-from', 'progress/tell-progress', 'experiments/write-run-state'].map((name) => [
      name,
      { form: 'INSERT … SELECT without RETURNING', why: 'sent by ingest, which has BYPASSRLS on a cluster' },
    ]),
  ),
};

const files = readdirSync(committedSqlFolder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.sql'))
  .map((name) => name.slice(0, -'.sql'.length));
const statements = files.flatMap((file) =>
  statementsOf(readFileSync(join(committedSqlFolder, `${file}.sql`), 'utf8')).map((text) => ({
    file,
    sql: text.replaceAll(/,\s*…/g, '').replaceAll('$n', '$1'),
  })),
);
const globals = new Set(globalTables);

beforeAll(() => loadModule());

describe('on a cluster', () => {
  it('every statement runs', () => {
    expect(statements.length).toBeGreaterThan(400);
    const faults = statements.flatMap(({ file, sql }) =>
      unsupportedForms(sql, globals)
        .filter((form) => exceptions[file]?.form !== form)
        .map((form) => `libs/store/sql/${file}.sql has "${form}". ${distributedForms[form]}\n${sql}`),
    );
    expect(faults).toEqual([]);
  });

  it('each exception is still needed', () => {
    const needed = Object.entries(exceptions).filter(([name, { form }]) =>
      statements.some(({ file, sql }) => file === name && unsupportedForms(sql, globals).includes(form)),
    );
    expect(needed.map(([name]) => name)).toEqual(Object.keys(exceptions));
  });

  it('only the listed background statements visit every shard', () => {
    const migrations = join(import.meta.dirname, '../../../migrations');
    const tables = readdirSync(migrations).flatMap((name) =>
      [...readFileSync(join(migrations, name), 'utf8').matchAll(/^create table (\w+)/gm)].map(([, table]) => table!),
    );
    const tenantTables = new Set(tables.filter((table) => !globals.has(table)));
    const visits = statements.filter(
      ({ file, sql }) => file.startsWith('maintenance/') && tableUses(sql, tenantTables).some(({ isBound }) => !isBound),
    );
    expect([...new Set(visits.map(({ file }) => file.slice('maintenance/'.length)))].toSorted()).toEqual(
      Object.keys(overAllTenants).toSorted(),
    );
  });
});
