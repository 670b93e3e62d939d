import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { tenantIdOf } from '#model/testing';
import { insertWorkspace, Store } from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { FaultProxy } from './proxy.ts';

/** The product's deadline for requests while the database is unavailable. */
const deadlineMs = 3_000;

describeWith(['postgres'], 'a store with a bad link to Postgres', () => {
  let database: TestDatabase;
  let direct: Store;
  let proxy: FaultProxy;
  let store: Store;
  const tenantId = tenantIdOf(randomUUID());

  beforeAll(async () => {
    database = await createTestDatabase();
    direct = new Store(database);
    await direct.withTenant(tenantId, (scope) => insertWorkspace(scope, 'Test'));
  });
  afterAll(async () => {
    await direct.close();
    await database.drop();
  });
  beforeEach(async () => {
    const { hostname, port } = new URL(database.appUrl);
    proxy = await FaultProxy.start({ host: hostname, port: Number(port), seed: 1 });
    const { appUrl, ingestUrl, sweeperUrl } = database;
    store = new Store({
      appUrl: proxy.urlFor(appUrl),
      ingestUrl: proxy.urlFor(ingestUrl),
      sweeperUrl: proxy.urlFor(sweeperUrl),
      appPoolSize: 3,
    });
    await rename('ready');
  });
  afterEach(async () => {
    await proxy.close();
    await store.close();
  });

  /** A request that locks a row. */
  const rename = (name: string, on = store) =>
    on.withTenant(tenantId, ({ trx }) => trx.updateTable('workspace').set({ name }).where('tenant_id', '=', tenantId).execute());

  /** Backends of the test database that are in a transaction, according to the server. */
  const inTransaction = async (): Promise<number> => {
    const { rows } = await sql<{ count: string }>`select count(*) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null and backend_type = 'client backend'`.execute(
      direct.global,
    );
    return Number(rows[0]!.count);
  };

  const rejectedInTime = async (work: Promise<unknown>): Promise<void> => {
    const before = performance.now();
    await expect(work).rejects.toMatchObject({ code: 'store-unavailable' });
    expect(performance.now() - before).toBeLessThan(deadlineMs);
  };

  it.each([
    ['lets nothing through', { partition: true }],
    ['is two seconds late', { latencyMs: 2_000 }],
    ['refuses', { refuse: true }],
  ])('that %s fails requests in time, however many there are, and works again afterwards', async (_, faults) => {
    proxy.faults = faults;
    if ('refuse' in faults) proxy.resetAll();
    await Promise.all(Array.from({ length: 12 }, () => rejectedInTime(rename('refused'))));
    expect(proxy.open).toBeLessThanOrEqual(3 + 2);
    proxy.faults = {};
    await expect
      .poll(
        () =>
          rename('whole').then(
            () => true,
            () => false,
          ),
        { timeout: 5_000 },
      )
      .toBe(true);
    await expect.poll(inTransaction, { timeout: 5_000 }).toBe(0);
  });

  it('that forgot its connections: the current request fails in time, its locks are released, and the next one works', async () => {
    const held = store.withTenant(tenantId, async ({ trx }) => {
      await trx.updateTable('workspace').set({ name: 'held' }).where('tenant_id', '=', tenantId).execute();
      proxy.halfOpenAll();
      await trx.updateTable('workspace').set({ name: 'lost' }).where('tenant_id', '=', tenantId).execute();
    });
    await rejectedInTime(held);
    await rename('next');
    await rename('next', direct);
    await expect.poll(inTransaction, { timeout: 5_000 }).toBe(0);
  });

  it('that is slow is not considered dead: connecting may take seconds', async () => {
    proxy.faults = { latencyMs: 250 };
    await expect(store.withTenant(tenantId, ({ trx }) => sql`select pg_sleep(6)`.execute(trx))).resolves.toBeDefined();
  });

  it('is not considered dead while a statement runs for seconds or waits for a lock', async () => {
    await expect(store.withTenant(tenantId, ({ trx }) => sql`select pg_sleep(3.5)`.execute(trx))).resolves.toBeDefined();
    await store.withIngest(tenantId, async ({ trx }) => {
      await sql`select 1 from run_work where tenant_id = ${tenantId} for update`.execute(trx);
      await sql`select pg_sleep(2.5)`.execute(trx);
    });
  });

  it('stops waiting for a lock before the deadline', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let locked = (): void => undefined;
    const isLocked = new Promise<void>((resolve) => (locked = resolve));
    const holder = direct.withTenant(tenantId, async ({ trx }) => {
      await trx.updateTable('workspace').set({ name: 'holder' }).where('tenant_id', '=', tenantId).execute();
      locked();
      await released;
    });
    await isLocked;
    await rejectedInTime(rename('waits'));
    release();
    await holder;
    await rename('free');
  });
});
