import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { globalTables } from './queries/maintenance/read-isolation-faults.ts';

/*
 * The first layer of tenant isolation: every statement has a tenant condition for every tenant
 * table that it uses. The statements are those of libs/store/sql, which a medium run compares with
 * what was sent to Postgres. Row level security is the second layer.
 */

const folder = join(import.meta.dirname, '../sql');
/** Statements of `maintenance/` cover all tenants, with a role that may only read the ledger. */
const statements = readdirSync(folder)
  .filter((name) => name.endsWith('.sql'))
  .flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split(/;\n/)
      .map((text) => ({ file, text: text.trim() }))
      .filter(({ text }) => text !== ''),
  );

const predicate = /\btenant_id"?\s*=\s*|\busing\s*\(\s*"?tenant_id\b|\binto\s+"?\w+"?(?:\s+as\s+\w+)?\s*\([^)]*\btenant_id\b/g;

/** How many tenant tables a statement uses without a tenant condition. */
function unnamed(text: string, tenantTables: ReadonlySet<string>): number {
  const touched = Array.from(text.matchAll(/\b(?:from|join|update|into|using)\s+"?(\w+)"?/g), ([, name]) => name!);
  return touched.filter((name) => tenantTables.has(name)).length - (text.match(predicate) ?? []).length;
}

describeWith(['postgres'], 'statements on tables of tenants', () => {
  let database: TestDatabase;
  let tenantTables: Set<string>;
  beforeAll(async () => {
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

  it('name the tenant at each of them', () => {
    const touching = statements.filter(({ text }) => [...tenantTables].some((table) => text.includes(table)));
    expect(touching.length).toBeGreaterThan(250);
    expect(statements.filter(({ text }) => unnamed(text, tenantTables) > 0)).toEqual([]);
  });

  it('are found out when one of these predicates is taken away', () => {
    const exact = statements.filter(
      ({ text }) => unnamed(text, tenantTables) === 0 && /\b(and|where)\s+\(?\w*\.?"?tenant_id"?\s*=\s*\$n/.test(text),
    );
    expect(exact.length).toBeGreaterThan(150);
    for (const { file, text } of exact) {
      const mutant = text.replace(/\b(and|where)(\s+\(?)\w*\.?"?tenant_id"?\s*=\s*\$n/, '$1$2true');
      expect([file, unnamed(mutant, tenantTables)]).toEqual([file, 1]);
    }
  });
});
