import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { Store } from '../../store.ts';
import { assertWritable } from '../connections/assert-writable.ts';
import { readPendingTotals } from './read-pending-totals.ts';
import { claimSweep } from './claim-sweep.ts';

const tenant = '00000000-0000-0000-0000-00000000000a';

describeWith(['postgres'], 'queries over all tenants', () => {
  let database: TestDatabase;
  let store: Store;
  let admin: pg.Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store({ appUrl: database.appUrl, sweeperUrl: database.sweeperUrl });
    admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    await admin.query('set session_replication_role = replica'); // only the list, without the files and runs that it refers to
  });
  afterAll(async () => {
    await store.close();
    await admin.end();
    await database.drop();
  });

  const pend = (runId: number, offset: number, secondsAgo: number) =>
    admin.query(
      `insert into pending_segment (tenant_id, experiment_id, run_id, file_id, "offset", length, epoch, received_at)
       values ($1, 'e', $2, 1, $3, 10, 1, now() - make_interval(secs => $4))`,
      [tenant, runId, offset, secondsAgo],
    );

  it('pending totals: bytes, age of the oldest claimable segment, and the number at the last look', async () => {
    const empty = await readPendingTotals(store.sweeper, new Date(0));
    expect(empty).toMatchObject({ segments: 0, bytes: 0, oldestMs: null, earlier: 0 });
    await admin.query(
      `insert into run_work (tenant_id, run_id, experiment_id, retry_at) values ($1, 1, 'e', now() - interval '1 day'), ($1, 2, 'e', now() + interval '1 day')`,
      [tenant],
    );
    await pend(2, 0, 500); // is backing off
    expect(await readPendingTotals(store.sweeper, new Date(0))).toMatchObject({ segments: 1, bytes: 10, oldestMs: null, earlier: 0 });
    await pend(1, 0, 100);
    await pend(1, 10, 50);
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
