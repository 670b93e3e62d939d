import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadModule } from 'libpg-query';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { committedSqlFolder, createTestDatabase, describeWith, statementsOf, type TestDatabase } from '#testing';
import { globalTables } from './handles.ts';
import { tableUses } from './testing/tenant-conditions.ts';

/*
 * The first layer of tenant isolation: every statement has a tenant condition for every tenant
 * table that it uses. The statements come from libs/store/sql, which a medium run compares with
 * those sent to Postgres. Row level security is the second layer.
 */

/** Statements in `maintenance/` cover all tenants, with a role that may only read the ledger. */
const statements = readdirSync(committedSqlFolder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.sql') && !name.startsWith('maintenance/'))
  .flatMap((file) => statementsOf(readFileSync(join(committedSqlFolder, file), 'utf8')).map((text) => ({ file, text })))
  .map(({ file, text }) => ({ file, sql: text.replaceAll(/,\s*…/g, '').replaceAll('$n', '$1') }));

describeWith(['postgres'], 'statements on tables of tenants', () => {
  let database: TestDatabase;
  let tenantTables: Set<string>;
  beforeAll(async () => {
    await loadModule();
    database = await createTestDatabase();
    const admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    const { rows } = await admin.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    );
    await admin.end();
    tenantTables = new Set(rows.map(({ name }) => name).filter((name) => !globalTables.includes(name)));
  });
  afterAll(() => database?.drop());

  it('bind each of them to a tenant', () => {
    const uses = statements.flatMap(({ file, sql }) => tableUses(sql, tenantTables).map((use) => ({ file, ...use })));
    expect(uses.length).toBeGreaterThan(400);
    expect(uses.filter(({ isBound }) => !isBound)).toEqual([]);
  });

  it('are detected when the conditions on a table are removed', () => {
    for (const { file, sql } of statements) {
      for (const alias of new Set(tableUses(sql, tenantTables).map((use) => use.alias))) {
        const missed = tableUses(sql, tenantTables, alias).filter((use) => use.alias === alias && use.isBound);
        expect([file, alias, missed]).toEqual([file, alias, []]);
      }
    }
  });
});
