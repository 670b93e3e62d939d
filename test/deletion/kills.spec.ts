import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownerOf } from '#auth/testing';
import { removeWorkspace } from '#experiments';
import { joinOriginal } from '#originals';
import { readDeletion, Store } from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { DeletionWorld, recordsOf, type TestEvent, type TestTenant } from '../../apps/ingest/src/testing/deletion-world.ts';
import { objectStores, type TestObjects } from './stores.ts';
import { findTraces } from './traces.ts';
import type { WorkerSettings } from './worker.ts';

const root = join(import.meta.dirname, '../..');
/** The full set by DELETION_KILLS=50. */
const kills = Number(process.env.DELETION_KILLS ?? 8);

/* Reliability test 72. */
for (const { kind, parts, open } of objectStores) {
  describeWith(parts, `a deletion whose worker is killed ${kills} times, with objects in ${kind}`, () => {
    let database: TestDatabase;
    let objects: TestObjects;
    let store: Store;
    let world: DeletionWorld;

    beforeAll(async () => {
      database = await createTestDatabase();
      objects = await open();
      store = new Store(database);
      world = new DeletionWorld(store, objects.blobs);
    });
    afterAll(async () => {
      await store?.close();
      await objects?.drop();
      await database?.drop();
    });

    /** A workspace whose name, people, names, tags, texts and blobs all hold the canary. */
    async function fill(canary: string): Promise<TestTenant> {
      const tenant = await world.tenant(`lab ${canary}`, `Ada ${canary}`);
      for (let e = 0; e < 3; e++) {
        const experimentId = await world.experiment(tenant, `name ${canary}`, `about ${canary}`);
        for (let r = 0; r < 4; r++) {
          const name = `events.tfevents.${canary}`;
          const fileId = await world.open(tenant, experimentId, `run ${r} ${canary}`, name);
          const events = Array.from({ length: 8 }, (_, i): TestEvent => ({
            step: BigInt(i),
            values: [
              { tag: `loss ${canary}`, scalar: i },
              { tag: `note ${canary}`, text: `${canary} ${i}` },
              { tag: 'big', tensor: Array.from({ length: 5_000 }, (_v, n) => n + i + 100 * r) },
              { tag: 'shown', images: [Buffer.from(`shared ${i}`), Buffer.from(`${canary} ${e} ${r} ${i}`)] },
            ],
          }));
          const bytes = recordsOf(events, true);
          await world.append(tenant, experimentId, fileId, 0, bytes);
          await world.ingest(tenant);
          if (r < 2) {
            await world.complete(tenant, fileId, bytes.length);
            if (r === 1) await joinOriginal(store, objects.blobs, tenant.tenantId, fileId);
          }
        }
      }
      return tenant;
    }

    /** Runs a worker until it is done, or kills itself; true when it was killed. */
    async function runWorker(settings: WorkerSettings): Promise<boolean> {
      const child = spawn(process.execPath, ['--conditions=source', join(import.meta.dirname, 'worker.ts')], {
        cwd: root,
        env: { ...process.env, DELETION_WORKER: JSON.stringify(settings) },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
      const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
        child.once('close', (...ended) => resolve(ended));
      });
      if (signal === 'SIGKILL') return true;
      expect([code, signal], said).toEqual([0, null]);
      return false;
    }

    it('ends with no row and no object of the workspace, counted once, and leaves the others alone', async () => {
      const canary = randomBytes(16).toString('hex');
      const tenant = await fill(canary);
      const other = await fill(randomBytes(16).toString('hex'));
      const othersObjects = await world.objects(other);
      const count = async (sql: string) => {
        const client = new pg.Client({ connectionString: database.adminUrl });
        await client.connect();
        const { rows } = await client.query<{ n: string }>(sql, [tenant.tenantId]);
        await client.end();
        return Number(rows[0]!.n);
      };
      const points =
        (await count('select coalesce(sum(points), 0) as n from run_tail where tenant_id = $1')) +
        (await count('select coalesce(sum(count), 0) as n from scalar_chunk where tenant_id = $1')) +
        (await count('select count(*) as n from tensor_value where tenant_id = $1')) +
        (await count('select count(*) as n from blob_sequence_value where tenant_id = $1'));
      const ownObjects = (await world.objects(tenant)).length;
      expect((await findTraces(database.adminUrl, objects.blobs, [canary])).length).toBeGreaterThan(100);

      const caller = ownerOf(tenant);
      const { deletionId } = await store.withTenant(tenant.tenantId, (trx) => removeWorkspace(trx, caller, `lab ${canary}`));
      const { appUrl, ingestUrl } = database;
      let killed = 0;
      for (let life = 0; ; life++) {
        const failpoints = killed < kills ? `after-deletion-step=kill:0.45,before-delete-object=kill:0.1,seed=${life}` : '';
        const settings = { appUrl, ingestUrl, blobs: objects.options, tenantId: tenant.tenantId, deletionId, failpoints };
        if (!(await runWorker(settings))) break;
        killed++;
      }
      expect(killed).toBe(kills);

      expect(await findTraces(database.adminUrl, objects.blobs, [canary])).toEqual([]);
      expect(await world.objects(tenant)).toEqual([]);
      const tables = await store.withTenant(tenant.tenantId, (trx) => trx.selectFrom('workspace').select('tenant_id').execute());
      expect(tables).toEqual([]);
      const deletion = await store.withTenant(tenant.tenantId, (trx) => readDeletion(trx, tenant.tenantId, deletionId));
      expect(deletion).toMatchObject({ finishedAt: expect.any(Date), requestedBy: null, objectsLeft: 0 });
      expect(deletion!.removed).toMatchObject({ runs: 12, files: 12, series: 48, points });
      expect(deletion!.removed.objects).toBe(ownObjects);
      expect(await world.objects(other)).toEqual(othersObjects);
    });
  });
}
