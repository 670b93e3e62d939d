import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, describeWith, isCluster, type TestDatabase } from '#testing';
import type { Database } from './database.ts';
import { assertIsolated } from './assert-isolated.ts';
import { readIsolationFaults } from './queries/maintenance/read-isolation-faults.ts';
import { Store } from './store.ts';

/*
 * Reliability test 26, as every process runs it when it starts: it reports no fault, but detects
 * each mutant.
 */

/** When queried directly, a partition has only its own policies. */
const partition = 'create table leak (tenant_id uuid) partition by list (tenant_id); create table leak_1 partition of leak default;';

/**
 * Each gap is created in a transaction that is rolled back, because roles belong to the whole
 * cluster.
 */
const mutants: readonly (readonly [string, string])[] = [
  ['alter table series disable row level security', 'table series has no row level security'],
  ['drop policy run_tenant on run', 'table run has 0 policies and not one'],
  ['grant plotline_owner to plotline_app', 'role plotline_app may be plotline_owner'],
  ['create policy open on run using (true)', 'policy open of table run is not the plain one for all that is read and written'],
  [
    'alter policy run_tenant on run with check (true)',
    'policy run_tenant of table run is not the plain one for all that is read and written',
  ],
  [
    'alter policy run_tenant on run to plotline_app',
    'policy run_tenant of table run is not the plain one for all that is read and written',
  ],
  ['alter table run force row level security', 'table run forces row level security, which the owner of migrations cannot work under'],
  ['create table leak (tenant_id uuid)', 'table leak has no row level security'],
  ['alter table run owner to plotline_migrator', 'table run belongs to plotline_migrator'],
  ['create view leak as select * from run', 'view leak reads with the rights of its owner'],
  [
    `create function leak() returns bigint language sql security definer as 'select count(*) from run'`,
    'function leak runs with the rights of its owner',
  ],
  ['alter role plotline_app bypassrls', 'role plotline_app goes past row level security'],
  ['alter role plotline_sweeper createrole', 'role plotline_sweeper has rights of the whole cluster'],
  ['grant plotline_ingest to plotline_app', 'role plotline_app may be plotline_ingest'],
  [`${partition} grant select on leak_1 to plotline_app`, 'the partition leak_1 is granted to plotline_app'],
  [partition, 'table leak_1 has no row level security'],
  // Rebalancing a cluster needs this login (docs/scale.md).
  ...(isCluster() ? [] : [['alter role plotline_owner login', 'role plotline_owner can log in, or is more than an owner'] as const]),
];

describeWith(['postgres'], 'the isolation check', () => {
  let database: TestDatabase;
  let admin: Kysely<Database>;
  beforeAll(async () => {
    database = await createTestDatabase();
    const pool = new pg.Pool({ connectionString: database.adminUrl, max: 1 });
    pool.on('error', () => undefined); // its database may be dropped before it has ended
    admin = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  });
  afterAll(async () => {
    await admin?.destroy();
    await database?.drop();
  });

  it('passes as the application role', async () => {
    const store = new Store({ appUrl: database.appUrl });
    try {
      expect(await readIsolationFaults(store.global)).toEqual([]);
      await assertIsolated(store);
    } finally {
      await store.close();
    }
  });

  it('stops a process from starting if row-level security is missing', async () => {
    const store = new Store({ appUrl: database.appUrl });
    try {
      await sql`alter table series disable row level security`.execute(admin);
      await expect(assertIsolated(store)).rejects.toThrow('table series has no row level security. The service does not start');
      await sql`alter table series enable row level security`.execute(admin);
      await assertIsolated(store);
    } finally {
      await store.close();
    }
  });

  it.for(mutants)('fails after: %s', async ([change, fault]) => {
    const undone = new Error('undone');
    let faults: string[] = [];
    const tried = admin.transaction().execute(async (trx) => {
      await sql.raw(change).execute(trx);
      faults = await readIsolationFaults(trx);
      throw undone;
    });
    await expect(tried).rejects.toBe(undone);
    expect(faults).toContain(fault);
    expect(await readIsolationFaults(admin)).toEqual([]);
  });
});
