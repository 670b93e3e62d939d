import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedPostgres, startPostgres } from '#embedded-postgres';
import type { TenantId } from '#model';
import { tenantIdOf } from '#model/testing';
import { describeWith } from '#testing';
import { migrate } from './migrator.ts';
import { prepareDatabase } from './prepare-database.ts';
import { insertWorkspace } from './queries/workspaces/insert-workspace.ts';
import { Store } from './store.ts';

/* A commit waits for a synchronous standby that never answers. Without a limit it waits forever. */

describeWith(['postgres'], 'a lost synchronous standby', () => {
  let dataDir: string;
  let postgres: EmbeddedPostgres;
  let admin: pg.Client;
  /** Its commits wait for the standby, as those of the store do. */
  let waiter: pg.Client;
  let store: Store;
  const reported: number[] = [];

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'plotline-standby-'));
    postgres = await startPostgres({ dataDir, settings: { fsync: 'off', shared_buffers: '32MB' } });
    const passwords = { plotline_app: postgres.password('plotline_app'), plotline_migrator: postgres.password('plotline_migrator') };
    await prepareDatabase({ adminUrl: postgres.url(), database: 'plotline', passwords });
    await migrate(postgres.url('plotline_migrator', 'plotline'));
    admin = new pg.Client({ connectionString: postgres.url(undefined, 'plotline') });
    await admin.connect();
    waiter = new pg.Client({ connectionString: postgres.url(undefined, 'plotline') });
    await waiter.connect();
    store = new Store({
      appUrl: postgres.url('plotline_app', 'plotline'),
      appPoolSize: 2,
      onHangingCommits: (commits) => reported.push(commits),
    });
  });
  afterAll(async () => {
    // Whatever failed: a commit that waits would keep Postgres from stopping.
    await admin?.query('alter system reset synchronous_standby_names');
    await admin?.query('select pg_reload_conf()');
    await store?.close();
    await waiter?.end();
    await admin?.end();
    await postgres?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function setStandby(name: string): Promise<void> {
    await admin.query('set synchronous_commit = local'); // the administrator's own commits do not wait
    await admin.query(`alter system set synchronous_standby_names = ${pg.escapeLiteral(name)}`);
    await admin.query('select pg_reload_conf()');
    await expect
      .poll(async () => (await admin.query('show synchronous_standby_names')).rows)
      .toEqual([{ synchronous_standby_names: name }]);
    if (name !== '') await expect.poll(commitWaits, { timeout: 30_000 }).toBe(true);
  }

  /**
   * Commits wait once the checkpointer has read the setting, which may be later than other
   * processes.
   */
  async function commitWaits(): Promise<boolean> {
    const { rows } = await waiter.query('select pg_backend_pid() as pid');
    let isDone = false;
    const commit = waiter.query(`select pg_logical_emit_message(true, 'test', '')`).finally(() => (isDone = true));
    while (!isDone) {
      const waiting = await admin.query(`select from pg_stat_activity where pid = $1 and wait_event = 'SyncRep'`, [rows[0].pid]);
      if (waiting.rowCount === 0) continue;
      await admin.query('select pg_cancel_backend($1)', [rows[0].pid]);
      await commit;
      return true;
    }
    return false;
  }

  const unconfirmed = { code: 'store-unavailable', message: expect.stringContaining('does not confirm writes') };
  const insert = (tenantId: TenantId) => store.withTenant(tenantId, (scope) => insertWorkspace(scope, 'Lab'));
  const names = (tenantId: TenantId) =>
    store.withTenant(tenantId, ({ trx }) => trx.selectFrom('workspace').select('name').where('tenant_id', '=', tenantId).execute(), {
      readOnly: true,
    });

  it('fails writes instead of blocking them, hides unconfirmed data, and writes work once it is back', async () => {
    const [before, lost, after] = [tenantIdOf(randomUUID()), tenantIdOf(randomUUID()), tenantIdOf(randomUUID())];
    await insert(before);
    await store.assertCommits();
    await setStandby('nobody');
    await expect(insert(lost)).rejects.toMatchObject(unconfirmed);
    expect(reported).toEqual([1]);
    expect(() => store.assertNoCommitHangs()).toThrow('does not confirm writes');
    await expect(store.assertCommits()).rejects.toMatchObject(unconfirmed);
    expect([await names(before), await names(lost)]).toEqual([[{ name: 'Lab' }], []]);
    await setStandby('');
    await expect.poll(() => reported.at(-1), { timeout: 30_000 }).toBe(0);
    await store.assertCommits();
    await insert(after);
    // Its commit was never canceled: it ended when the standby was no longer required.
    expect([await names(lost), await names(after)]).toEqual([[{ name: 'Lab' }], [{ name: 'Lab' }]]);
  });

  it('is detected by the readiness check, without a request', async () => {
    await setStandby('nobody');
    await expect(store.assertCommits()).rejects.toMatchObject(unconfirmed);
    await setStandby('');
    await expect.poll(() => reported.at(-1), { timeout: 30_000 }).toBe(0);
    await store.assertCommits();
  });

  it('leaves no more backends waiting than the pool has connections', async () => {
    await setStandby('nobody');
    for (let i = 0; i < 4; i++) await expect(insert(tenantIdOf(randomUUID()))).rejects.toMatchObject({ code: 'store-unavailable' });
    const { rows } = await admin.query(`select count(*)::int as n from pg_stat_activity where wait_event = 'SyncRep'`);
    expect(rows).toEqual([{ n: 2 }]);
    await setStandby('');
    await expect.poll(() => reported.at(-1), { timeout: 30_000 }).toBe(0);
    await insert(tenantIdOf(randomUUID()));
  });
});
