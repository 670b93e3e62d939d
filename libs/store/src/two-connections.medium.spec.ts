import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TenantId } from '#model';
import { tenantIdOf } from '#model/testing';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { insertWorkspace } from './queries/workspaces/insert-workspace.ts';
import type { TenantScope } from './scope.ts';
import { Store } from './store.ts';

/*
 * Reliability test 29: tenants use a connection one after another. However a transaction ends, the
 * next tenant sees none of its changes.
 */

const clients = 8;
const requests = 10_000;

describeWith(['postgres'], 'two connections for eight clients of four tenants', () => {
  let database: TestDatabase;
  let store: Store;
  let admin: pg.Client;
  const tenants = Array.from({ length: 4 }, () => tenantIdOf(randomUUID()));
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store({ appUrl: database.appUrl, appPoolSize: 2 });
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    for (const tenantId of tenants) await store.withTenant(tenantId, (scope) => insertWorkspace(scope, tenantId));
  });
  afterAll(async () => {
    await store?.close();
    await admin?.end();
    await database?.drop();
  });

  it('show only the tenant’s own rows 10,000 times, with aborts and throws in between', async () => {
    const seen = { own: 0, foreign: 0, without: 0 };
    const look = async ({ trx, tenantId }: TenantScope): Promise<void> => {
      // Deliberately has no condition, because this tests row level security.
      const { rows } = await sql<{ tenant_id: TenantId }>`select tenant_id from workspace`.execute(trx);
      for (const row of rows) seen[row.tenant_id === tenantId ? 'own' : 'foreign']++;
    };
    /** Ways in which a request can end. Failed requests reject. */
    const ways: readonly ((tenantId: TenantId) => Promise<void>)[] = [
      (tenantId) => store.withTenant(tenantId, look),
      (tenantId) => store.withTenant(tenantId, look, { readOnly: true }),
      (tenantId) => store.withSnapshot(tenantId, look),
      (tenantId) =>
        store.withTenant(tenantId, async (scope) => {
          await look(scope);
          throw new Error('thrown');
        }),
      (tenantId) =>
        store.withTenant(tenantId, async (scope) => {
          await look(scope);
          await sql`select 1 / 0`.execute(scope.trx);
        }),
      (tenantId) =>
        store.withTenant(tenantId, async (scope) => {
          await sql`set local statement_timeout = 1`.execute(scope.trx);
          await Promise.all([look(scope), sql`select pg_sleep(1)`.execute(scope.trx)]);
        }),
      (tenantId) => store.withTenant(tenantId, async (scope) => void (await Promise.all([look(scope), look(scope)]))),
      (tenantId) =>
        store.withTenant(tenantId, async (scope) => {
          void look(scope).catch(() => undefined); // the caller is gone, and nothing awaits it
          throw new Error('thrown');
        }),
      async () => {
        const { rows } = await sql`select 1 from workspace`.execute(store.global);
        seen.without += rows.length;
      },
    ];
    const failed = new Map<number, number>();
    let sent = 0;
    const client = async (): Promise<void> => {
      for (let n = sent++; n < requests; n = sent++) {
        const way = n % ways.length;
        await ways[way]!(tenants[(n * 7) % tenants.length]!).catch(() => failed.set(way, (failed.get(way) ?? 0) + 1));
        // Occasionally, the server ends a connection in use.
        if (n % 1_000 === 999)
          await admin.query(
            `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and usename = 'plotline_app' limit 1`,
          );
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    expect([seen.foreign, seen.without]).toEqual([0, 0]);
    expect(seen.own).toBeGreaterThan(requests * 0.6);
    for (const way of [3, 4, 5, 7]) expect([way, (failed.get(way) ?? 0) > 1_000]).toEqual([way, true]);
  }, 240_000);
});
