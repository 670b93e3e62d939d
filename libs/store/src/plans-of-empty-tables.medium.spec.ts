import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';

interface Plan {
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

/*
 * Connections keep plans that were created while a table was empty and not analyzed. This test uses
 * foreign key checks with Postgres' own wording.
 */
describeWith(['plain-postgres'], 'a database without statistics', () => {
  let database: TestDatabase;
  let admin: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin?.end();
    await database?.drop();
  });

  it.each([
    ['series', 'series_id'],
    ['run', 'run_id'],
  ])('finds the %s of a reference by its whole key, not by its workspace', async (table, key) => {
    const check = `select 1 from only ${table} x where tenant_id = $1 and ${key} = $2 for key share of x`;
    const { rows } = await admin.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `explain (format json) ${check.replace('$1', `'${randomUUID()}'::uuid`).replace('$2', '1::bigint')}`,
    );
    const conditions = conditionsOf(rows[0]!['QUERY PLAN'][0].Plan);
    expect(conditions).toHaveLength(1);
    expect(conditions[0]).toContain('tenant_id');
    expect(conditions[0]).toContain(key);
  });
});

function conditionsOf(plan: Plan): string[] {
  return [...(plan['Index Cond'] ? [plan['Index Cond']] : []), ...(plan.Plans ?? []).flatMap(conditionsOf)];
}
