import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { committedSqlFolder, createTestDatabase, describeWith, statementName, statementsOf, type TestDatabase } from '#testing';
import { overAllTenants } from './testing/over-all-tenants.ts';
import { completeCommitted, literals, prepareCommitted } from './testing/sample-parameters.ts';

/*
 * Citus plans and executes every statement in libs/store/sql with sample parameters, in the role
 * that sends it, because row level security changes plans. All statements visit one shard, except
 * those listed.
 */

const tenant = '00000000-0000-0000-0000-000000000001';
/** Files with statements that only ingest sends. */
const byIngest = ['progress/tell-progress', 'experiments/write-run-state'];
/** Parameters that name something. */
const given: Readonly<Record<string, readonly string[]>> = { 'is-under-row-security': [`'run'`] };
/**
 * Errors caused by the sample parameters. A statement that fails this way could run with real
 * parameters. Errors for copied rows lose their code.
 */
const isOfSample = ({ code = '', message }: pg.DatabaseError) => /^2[23]/.test(code) || message.includes('violates foreign key');
/**
 * Statements for a single server. A cluster uses other statements for the same work, and ingest has
 * BYPASSRLS there.
 */
const notOnClusters = ['read-pending-runs', 'read-unheard-experiments', 'clear-staged-rows', 'insert-staged-rows'];

const statements = readdirSync(committedSqlFolder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.sql'))
  .flatMap((name) =>
    statementsOf(readFileSync(join(committedSqlFolder, name), 'utf8')).map((sql) => ({ file: name.slice(0, -'.sql'.length), sql })),
  )
  .map(({ file, sql }) => ({ file, name: statementName(sql), sql: sql.replace(/^-- returns .*\n/, '') }))
  // Parts of composed statements have no name. Statements without a plan visit the shards that they
  // name.
  .filter(({ name, sql }) => name !== null && /^(\/\* .*? \*\/\s*)?(select|with|insert|update|delete)\b/.test(sql))
  .filter(({ name }) => !notOnClusters.includes(name!))
  // Removes the name, because the sample is not a statement that the service sends.
  .map(({ file, name, sql }) => ({ file, name: name!, sql: sql.replaceAll(/\/\* .*? \*\//g, '') }));

/**
 * How many shards a plan visits: the maximum over its parts, or 0 if it runs only on the
 * coordinator.
 */
function tasksOf(plan: unknown): number {
  if (typeof plan !== 'object' || plan === null) return 0;
  return Object.entries(plan).reduce((max, [key, value]) => Math.max(max, key === 'Task Count' ? Number(value) : tasksOf(value)), 0);
}

describeWith(['postgres', 'citus'], 'every statement on a cluster', () => {
  let database: TestDatabase;
  const clients: pg.Client[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    // Roles in the order in which they are tried. The last one belongs to `npm run admin`.
    for (const url of [database.appUrl, database.ingestUrl, database.sweeperUrl, database.adminUrl]) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      clients.push(client);
      await client.query('set plan_cache_mode = force_custom_plan');
    }
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.end()));
    await database?.drop();
  });

  /** How many shards a statement visits. Throws if the statement fails. */
  async function attempt(client: pg.Client, name: string, sql: string): Promise<number> {
    const { lengths, types } = await prepareCommitted(client, 'sample', sql);
    const values = given[name] ?? literals(types, tenant);
    const execute = `execute sample${values.length === 0 ? '' : `(${values.join(', ')})`}`;
    const explain = async (query: string) =>
      (await client.query<{ 'QUERY PLAN': unknown }>(`explain (format json) ${query}`)).rows[0]!['QUERY PLAN'];
    let plan: unknown;
    try {
      plan = await explain(execute);
    } catch (error) {
      // EXPLAIN does not plan an INSERT … SELECT that has parameters.
      if (!(error as Error).message.includes('could not create distributed plan')) throw error;
      plan = await explain(completeCommitted(sql, lengths, values));
    }
    await client.query('begin');
    try {
      await client.query('select app_set_tenant($1)', [tenant]);
      await client.query(execute);
    } catch (error) {
      if (!isOfSample(error as pg.DatabaseError)) throw error;
    } finally {
      await client.query('rollback');
      await client.query('deallocate sample');
    }
    return tasksOf(plan);
  }

  it('runs, and visits one shard but for the listed ones', async () => {
    expect(statements.length).toBeGreaterThan(400);
    const faults: string[] = [];
    const wide = new Set<string>();
    for (const { file, name, sql } of statements) {
      let fault = '';
      let tasks: number | null = null;
      for (const client of clients.slice(byIngest.includes(file) ? 1 : 0)) {
        try {
          tasks = await attempt(client, name, sql);
          break;
        } catch (error) {
          await client.query('deallocate all');
          const { code, message, detail = '' } = error as pg.DatabaseError;
          fault = `${code} ${message} ${detail}`;
          if (code !== '42501') break;
        }
      }
      if (tasks === null) faults.push(`${file} ${name}: ${fault}`);
      else if (tasks > 1 && file.startsWith('maintenance/')) wide.add(file.slice('maintenance/'.length));
      else if (tasks > 1) faults.push(`${file} ${name} visits ${tasks} shards:\n${sql}`);
    }
    expect(faults).toEqual([]);
    expect([...wide].toSorted()).toEqual(Object.keys(overAllTenants).toSorted());
  });
});
