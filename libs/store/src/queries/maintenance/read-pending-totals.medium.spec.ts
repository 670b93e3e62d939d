import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FileId, RunId } from '#model';
import { experimentIdOf, tenantIdOf } from '#model/testing';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { Store } from '../../store.ts';
import { assertWritable } from '../connections/assert-writable.ts';
import { insertExperiment } from '../experiments/insert-experiment.ts';
import { ensureRun } from '../ledger/ensure-run.ts';
import { insertFile } from '../ledger/insert-file.ts';
import { insertPerson } from '../people/insert-person.ts';
import { insertWorkspace } from '../workspaces/insert-workspace.ts';
import { readPendingTotals } from './read-pending-totals.ts';
import { claimSweep } from './claim-sweep.ts';

const tenant = tenantIdOf('00000000-0000-0000-0000-00000000000a');
const experimentId = experimentIdOf('e'.repeat(22));

describeWith(['postgres'], 'queries over all tenants', () => {
  let database: TestDatabase;
  let store: Store;
  let admin: pg.Client;
  const files: Record<string, { readonly runId: RunId; readonly fileId: FileId }> = {};

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store({ appUrl: database.appUrl, sweeperUrl: database.sweeperUrl });
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    const ownerId = randomUUID();
    await insertPerson(store.global, ownerId, 'Ada');
    await store.withTenant(tenant, async (scope) => {
      await insertWorkspace(scope, 'Lab');
      await insertExperiment(scope, { experimentId, name: '', description: '', ownerId, labels: [] });
      for (const name of ['ready', 'backing off'] as const) {
        const runId = (await ensureRun(scope, experimentId, name))!;
        files[name] = { runId, fileId: (await insertFile(scope, { experimentId, runId, name: 'events', version: 1 }))! };
      }
    });
  });
  afterAll(async () => {
    await store.close();
    await admin.end();
    await database.drop();
  });

  const pend = (name: string, offset: number, secondsAgo: number) => {
    const { runId, fileId } = files[name]!;
    return admin.query(
      `insert into pending_segment (tenant_id, experiment_id, run_id, file_id, "offset", length, epoch, received_at)
       values ($1, $2, $3, $4, $5, 10, 1, now() - make_interval(secs => $6))`,
      [tenant, experimentId, runId, fileId, offset, secondsAgo],
    );
  };

  it('pending totals: bytes, age of the oldest claimable segment, and the number at the last look', async () => {
    const empty = await readPendingTotals(store.sweeper, new Date(0));
    expect(empty).toMatchObject({ segments: 0, bytes: 0, oldestMs: null, earlier: 0 });
    await admin.query(
      `insert into run_work (tenant_id, run_id, experiment_id, retry_at) values ($1, $3, $2, now() - interval '1 day'), ($1, $4, $2, now() + interval '1 day')
       on conflict (tenant_id, run_id) do update set retry_at = excluded.retry_at`,
      [tenant, experimentId, files['ready']!.runId, files['backing off']!.runId],
    );
    await pend('backing off', 0, 500);
    expect(await readPendingTotals(store.sweeper, new Date(0))).toMatchObject({ segments: 1, bytes: 10, oldestMs: null, earlier: 0 });
    await pend('ready', 0, 100);
    await pend('ready', 10, 50);
    const some = await readPendingTotals(store.sweeper, new Date(empty.at.getTime() - 75_000));
    expect(some).toMatchObject({ segments: 3, bytes: 30, earlier: 2 });
    expect(some.oldestMs).toBeGreaterThanOrEqual(100_000);
    expect(some.oldestMs).toBeLessThan(400_000);
    expect((await readPendingTotals(store.sweeper, some.at)).earlier).toBe(3);
  });

  it('one sweeper at a time holds the claim, until its transaction ends', async () => {
    const other = new Store({ appUrl: database.appUrl, sweeperUrl: database.sweeperUrl });
    try {
      const outcome = await claimSweep(store.sweeper, async () => claimSweep(other.sweeper, async () => 'both'));
      expect(outcome).toBeNull();
      await expect(claimSweep(store.sweeper, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
      expect(await claimSweep(other.sweeper, async () => 'mine')).toBe('mine');
    } finally {
      await other.close();
    }
  });

  it('a read-only database is detected', async () => {
    await assertWritable(store.global);
    const readOnly = new Store({ appUrl: `${database.appUrl}?options=${encodeURIComponent('-c default_transaction_read_only=on')}` });
    try {
      await expect(assertWritable(readOnly.global)).rejects.toMatchObject({ code: 'store-unavailable' });
    } finally {
      await readOnly.close();
    }
  });
});
