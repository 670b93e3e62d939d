import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ownerOf } from '#auth/testing';
import { MemoryBlobStore } from '#blobs/testing';
import { removeExperiment, requestDeletion } from '#experiments';
import { type ExperimentId, Problem } from '#model';
import { insertDeletion, readUnfinishedDeletions, readUsage, Store, updateWorkspace } from '#store';
import { armFailpoints } from '#telemetry';
import { createTestDatabase, describeWith, seededRandom, type TestDatabase } from '#testing';
import { workOnDeletion } from './deletion/work-on-deletion.ts';
import { checkUsage } from './testing/check-usage.ts';
import { DeletionWorld, recordsOf, type TestEvent, type TestTenant } from './testing/deletion-world.ts';

const bounds = { leaseMs: 60_000, retryMs: 0, rowsAtOnce: 5 };
const faults =
  'before-ledger-commit=throw:0.2,after-ledger-commit=throw:0.2,before-ingest-commit=throw:0.2,after-ingest-commit=throw:0.2,after-deletion-step=throw:0.1';

describeWith(['postgres'], 'the usage of a workspace', () => {
  let database: TestDatabase;
  let store: Store;
  let world: DeletionWorld;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    world = new DeletionWorld(store, new MemoryBlobStore());
  });
  afterEach(() => armFailpoints(undefined));
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  const usage = ({ tenantId }: TestTenant) => store.withTenant(tenantId, (scope) => readUsage(scope), { readOnly: true });

  /** Works until nothing is left to delete. */
  async function removeAll(tenant: TestTenant): Promise<void> {
    const { tenantId } = tenant;
    for (;;) {
      const waiting = (await readUnfinishedDeletions(store.sweeper, 100)).filter((one) => one.tenantId === tenantId);
      if (waiting.length === 0) return;
      await untilItWorks(() => world.ingest(tenant)); // points are removed only after everything acknowledged earlier is ingested
      for (const one of waiting) await untilItWorks(() => workOnDeletion(store, world.blobs, one, bounds));
    }
  }

  /** Retries work that a fault interrupted, as the client, the queue or a janitor would. */
  async function untilItWorks<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isStruck(error)) throw error;
      }
    }
  }

  const isStruck = (error: unknown): boolean =>
    (error instanceof Problem && error.code === 'store-unavailable') || (error instanceof Error && isCause(error));
  const isCause = (error: Error): boolean => error.cause !== undefined && isStruck(error.cause);

  it.each([1, 2, 3])(
    'matches the rows after any mix of uploads, retries, ingests, failures and deletions (seed %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const below = (n: number): number => Math.floor(random() * n);
      const tenant = await world.tenant();
      let experiments = [await world.experiment(tenant)];
      let step = 0n;
      const sent = new Map<string, number>();
      armFailpoints(`seed=${seed},${faults}`, () => undefined);
      for (let round = 0; round < 40; round++) {
        const experimentId = experiments[below(experiments.length)]!;
        const run = `run ${below(2)}`;
        switch (below(8)) {
          case 0:
            experiments.push(await world.experiment(tenant));
            break;
          case 1:
            await store.withTenant(tenant.tenantId, (scope) => removeExperiment(scope, ownerOf(tenant), experimentId));
            experiments = [...experiments.filter((id) => id !== experimentId), await world.experiment(tenant)];
            break;
          case 2:
            await untilItWorks(() => world.ingest(tenant));
            await store
              .withTenant(tenant.tenantId, (scope) =>
                requestDeletion(
                  scope,
                  ownerOf(tenant),
                  experimentId,
                  round % 2 === 0 ? { runs: [run] } : { steps: { from: step - 9n, to: step } },
                ),
              )
              .catch((error: unknown) => {
                if (!(error instanceof Problem)) throw error; // there is no such run
              });
            break;
          case 3:
            await removeAll(tenant);
            break;
          default:
            await append(tenant, experimentId, run, `tfevents.${below(2)}`);
        }
        if (below(2) === 0) await untilItWorks(() => world.ingest(tenant));
        await checkUsage(store, tenant.tenantId);
      }
      armFailpoints(undefined);
      for (const experimentId of experiments)
        await store.withTenant(tenant.tenantId, (scope) => removeExperiment(scope, ownerOf(tenant), experimentId));
      await removeAll(tenant);
      await checkUsage(store, tenant.tenantId);
      const left = Object.entries(await usage(tenant));
      expect(left.length).toBeGreaterThan(7);
      expect(left.filter(([, amount]) => amount !== 0)).toEqual([]);

      async function append(who: TestTenant, experimentId: ExperimentId, run: string, name: string): Promise<void> {
        const fileId = await world.open(who, experimentId, run, name).catch((error: unknown) => {
          if (!(error instanceof Problem) || error.code !== 'run-deleted') throw error;
          return null;
        });
        if (fileId === null) return;
        const events = Array.from({ length: 1 + below(6) }, (): TestEvent => ({
          step: below(5) === 0 ? step - 3n : (step += 1n),
          start: below(9) === 0,
          values: [
            { tag: 'a', scalar: below(9) },
            { tag: `t${below(3)}`, tensor: [below(9)] },
            { tag: 'i', images: [Buffer.alloc(1 + below(50), below(4))] },
          ].slice(0, 1 + below(3)) as TestEvent['values'],
        }));
        const offset = sent.get(fileId) ?? 0;
        const bytes = recordsOf(events, offset === 0);
        const half = below(3) === 0 ? below(bytes.length) : bytes.length;
        // The second half may arrive first, and everything may arrive twice.
        const ranges = [
          [half, bytes.length],
          [0, half],
          [0, half],
        ].filter(([from, to]) => to! > from!) as [number, number][];
        for (const [from, to] of ranges)
          await untilItWorks(() => world.append(who, experimentId, fileId, offset + from, bytes.subarray(from, to)));
        sent.set(fileId, offset + bytes.length);
      }
    },
    300_000,
  );

  it('includes data that was stored before it was counted, by a migration', async () => {
    const tenant = await world.tenant();
    const experimentId = await world.experiment(tenant);
    const events: TestEvent[] = [3n, 4n, 2n, 5n].map((step) => ({
      step,
      values: [
        { tag: 'a', scalar: 1 },
        { tag: 't', tensor: [1, 2, 3] },
        { tag: 'i', images: [Buffer.alloc(10, 1), Buffer.alloc(20, 2)] },
      ],
    }));
    for (const run of ['r', 's']) {
      const fileId = await world.open(tenant, experimentId, run, 'tfevents.1');
      const bytes = recordsOf(events, true);
      await world.append(tenant, experimentId, fileId, 0, bytes);
      await world.ingest(tenant);
      await world.append(tenant, experimentId, fileId, bytes.length + 50, Buffer.alloc(77)); // beyond the prefix
    }
    const counted = await usage(tenant);
    expect(counted).toMatchObject({ points: 24, series: 6, valueBytes: 2 * 4 * (3 * 4 + 2 + 30) });
    const admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    try {
      await admin.query('update experiment_epoch set stored_bytes = 0');
      await admin.query('update run_state set points = 0, series = 0, value_bytes = 0');
      const folder = join(import.meta.dirname, '../../../migrations');
      const file = (await readdir(folder)).find((name) => name.endsWith('_quotas.sql'))!;
      const statements = (await readFile(join(folder, file), 'utf8')).split(/;\n/).map((statement) => statement.trim());
      const counting = statements.filter((statement) => statement.startsWith('update '));
      expect(counting).toHaveLength(2);
      for (const statement of counting) await admin.query(statement);
    } finally {
      await admin.end();
    }
    expect(await usage(tenant)).toEqual(counted);
    await checkUsage(store, tenant.tenantId);
  });

  it('decreases by the originals that the workspace no longer keeps, not by media', async () => {
    const tenant = await world.tenant();
    const experimentId = await world.experiment(tenant);
    const fileId = await world.open(tenant, experimentId, 'r', 'tfevents.1');
    const bytes = recordsOf([{ step: 1n, values: [{ tag: 'i', images: [Buffer.alloc(700, 1)] }] }], true);
    await world.append(tenant, experimentId, fileId, 0, bytes);
    await world.ingest(tenant);
    await world.complete(tenant, fileId, bytes.length);
    expect(await usage(tenant)).toMatchObject({ points: 1, series: 1, originalBytes: bytes.length, valueBytes: 702 });
    await store.withTenant(tenant.tenantId, async (scope) => {
      await updateWorkspace(scope, { originalsDays: 1 });
      await scope.trx
        .updateTable('event_file')
        .set({ completed_at: new Date(Date.now() - 2 * 86_400_000) })
        .where('tenant_id', '=', tenant.tenantId)
        .execute();
      const all = {
        experimentId: null,
        runIds: null,
        tagHashes: null,
        fromStep: null,
        toStep: null,
        throughEpoch: null,
        requestedBy: null,
      };
      await insertDeletion(scope, { deletionId: randomUUID(), kind: 'originals', ...all });
    });
    await removeAll(tenant);
    await checkUsage(store, tenant.tenantId);
    expect(await usage(tenant)).toMatchObject({ points: 1, series: 1, originalBytes: 0, valueBytes: 702 });
  });
});
