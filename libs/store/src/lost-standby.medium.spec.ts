import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TenantId } from '#model';
import { tenantIdOf } from '#model/testing';
import { describeWith, StandbyPostgres } from '#testing';
import { insertWorkspace } from './queries/workspaces/insert-workspace.ts';
import { Store, type TransactionOptions } from './store.ts';

/*
 * Commits wait for a synchronous standby that never responds. Without a limit, they would wait
 * forever.
 */

describeWith(['postgres'], 'a lost synchronous standby', () => {
  let postgres: StandbyPostgres;
  let store: Store;
  const reported: number[] = [];

  beforeAll(async () => {
    postgres = await StandbyPostgres.start();
    const { appUrl, ingestUrl } = postgres.database;
    store = new Store({ appUrl, ingestUrl, appPoolSize: 2, onHangingCommits: (commits) => reported.push(commits) });
  });
  afterAll(async () => {
    await postgres?.endWait();
    await store?.close();
    await postgres?.stop();
  });

  /** Resolves when the store knows that its commits are confirmed again. */
  async function restore(): Promise<void> {
    await postgres.endWait();
    await expect.poll(() => reported.at(-1), { timeout: 30_000 }).toBe(0);
  }

  const unconfirmed = { code: 'store-unavailable', message: expect.stringContaining('does not confirm writes') };
  const insert = (tenantId: TenantId) => store.withTenant(tenantId, (scope) => insertWorkspace(scope, 'Lab'));
  const names = (tenantId: TenantId, options: TransactionOptions = { readOnly: true }) =>
    store.withTenant(
      tenantId,
      ({ trx }) => trx.selectFrom('workspace').select('name').where('tenant_id', '=', tenantId).execute(),
      options,
    );

  it('fails writes instead of blocking them, hides unconfirmed data, and writes work once it is back', async () => {
    const [before, lost, after] = [tenantIdOf(randomUUID()), tenantIdOf(randomUUID()), tenantIdOf(randomUUID())];
    await insert(before);
    await store.assertCommits();
    await postgres.loseStandby();
    await expect(insert(lost)).rejects.toMatchObject(unconfirmed);
    expect(reported).toEqual([1]);
    await expect(store.assertCommits()).rejects.toMatchObject(unconfirmed);
    expect([await names(before), await names(lost)]).toEqual([[{ name: 'Lab' }], []]);
    await restore();
    await store.assertCommits();
    await insert(after);
    // The lost commit was not canceled. It ended when the standby was no longer required.
    expect([await names(lost), await names(after)]).toEqual([[{ name: 'Lab' }], [{ name: 'Lab' }]]);
  });

  it('is detected by the readiness check, without a request', async () => {
    await postgres.loseStandby();
    await expect(store.assertCommits()).rejects.toMatchObject(unconfirmed);
    await restore();
    await store.assertCommits();
  });

  it('rejects each transaction that may write before it does, and serves the others', async () => {
    const tenantId = tenantIdOf(randomUUID());
    await insert(tenantId);
    await postgres.loseStandby();
    await expect(insert(tenantIdOf(randomUUID()))).rejects.toMatchObject(unconfirmed);
    const begun: string[] = [];
    await expect(store.withTenant(tenantId, async () => begun.push('tenant'))).rejects.toMatchObject(unconfirmed);
    await expect(store.withIngest(tenantId, async () => begun.push('ingest'))).rejects.toMatchObject(unconfirmed);
    expect([begun, await postgres.waitingCommits()]).toEqual([[], 1]);
    expect(await names(tenantId)).toEqual([{ name: 'Lab' }]);
    expect(await names(tenantId, { rarelyWrites: true })).toEqual([{ name: 'Lab' }]);
    await restore();
  });

  it('does not commit what began before it was noticed', async () => {
    const began = Promise.withResolvers<void>();
    const noticed = Promise.withResolvers<void>();
    const [tenantId, other] = [tenantIdOf(randomUUID()), tenantIdOf(randomUUID())];
    const slow = store.withTenant(tenantId, async (scope) => {
      await insertWorkspace(scope, 'Slow');
      began.resolve();
      await noticed.promise;
    });
    await began.promise;
    await postgres.loseStandby();
    await expect(insert(other)).rejects.toMatchObject(unconfirmed);
    noticed.resolve();
    await expect(slow).rejects.toMatchObject(unconfirmed);
    expect(await postgres.waitingCommits()).toBe(1);
    await restore();
    expect([await names(tenantId), await names(other)]).toEqual([[], [{ name: 'Lab' }]]);
  });

  it('leaves no more backends waiting than the pool has connections', async () => {
    await postgres.loseStandby();
    const attempts = Array.from({ length: 4 }, () => insert(tenantIdOf(randomUUID())));
    await Promise.all(attempts.map((attempt) => expect(attempt).rejects.toMatchObject(unconfirmed)));
    expect(await postgres.waitingCommits()).toBe(2);
    await restore();
    await insert(tenantIdOf(randomUUID()));
  });
});
