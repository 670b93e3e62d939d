import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { BlobStore } from '#blobs';
import type { FileId } from '#model';
import { Store } from '#store';
import { armFailpoints } from '#telemetry';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { collectOrphans } from '../../apps/ingest/src/deletion/collect-orphans.ts';
import { DeletionWorld, recordsOf, type TestEvent, type TestTenant } from '../../apps/ingest/src/testing/deletion-world.ts';
import { outputOf } from '../e2e/service.ts';
import { rangeAt, rangeBytes } from './ranges.ts';
import { objectStores, type TestObjects } from './stores.ts';
import type { UploaderSettings } from './uploader.ts';

/**
 * Longer than most appends take; for longer appends, the collector's clock waits ({@link
 * Attempts}).
 */
const graceMs = 5_000;
/** Object stores round the current time and the times of objects to seconds. */
const wholeSecondsMs = 3_000;

const deaths = Number(process.env.ORPHAN_DEATHS ?? 4);
/**
 * Number of deaths that kill a process; the other deaths throw an error, which is faster.
 * DELETION_KILLS=50 makes half of them kills.
 */
const killsOfUploads = Math.min(deaths, Number(process.env.DELETION_KILLS ?? 8));

/* Reliability test 6. */
for (const { kind, parts, open } of objectStores) {
  describeWith(parts, `garbage collection of orphans, with objects in ${kind}`, () => {
    let database: TestDatabase;
    let objects: TestObjects;
    let store: Store;
    let world: DeletionWorld;
    let tenant: TestTenant;

    beforeAll(async () => {
      database = await createTestDatabase();
      objects = await open();
      store = new Store(database);
      world = new DeletionWorld(store, objects.blobs);
      tenant = await world.tenant();
    });
    afterEach(() => armFailpoints(undefined));
    afterAll(async () => {
      await store?.close();
      await objects?.drop();
      await database?.drop();
    });

    /** Returns the keys that the tenant's rows reference. */
    const referred = () =>
      store.withTenant(tenant.tenantId, async ({ trx }) => {
        const of = async (table: 'segment' | 'tensor_value') =>
          (await trx.selectFrom(table).select('object_key').where('tenant_id', '=', tenant.tenantId).execute()).map(
            (row) => row.object_key,
          );
        const blobs = await trx.selectFrom('blob_sequence_value').select('blob_sha256').where('tenant_id', '=', tenant.tenantId).execute();
        const hashes = blobs.flatMap((row) => row.blob_sha256.map((hash) => hash && `blob/${hash.toString('hex')}`));
        return [...new Set([...(await of('segment')), ...(await of('tensor_value')), ...hashes])].filter((key) => key !== null).sort();
      });

    it(`keeps every acknowledged range when appends die between object and ledger ${deaths} times, and removes their orphans`, async ({
      signal,
    }) => {
      const experimentId = await world.experiment(tenant);
      const announce = (name: string) => world.open(tenant, experimentId, 'r', name);
      const [failing, dying] = [await announce('tfevents.1'), await announce('tfevents.2')];
      let removed = 0;
      let failures = 0;
      let kills = 0;
      let acknowledged = 0;
      const attempts = new Attempts();
      const place = (n: number) => (n % 2 ? 'after-object-put' : 'before-ledger-commit');

      /**
       * Appends that fail between object and row, each followed by a retry, as from a client that
       * got no response. Runs until the end, so that there are recent orphans.
       */
      const fail = async (stop: AbortSignal): Promise<number> => {
        let offset = 0;
        for (let seed = 1; !stop.aborted && (failures < deaths - killsOfUploads || kills < killsOfUploads || removed === 0); seed++) {
          if (failures >= deaths - killsOfUploads) await sleep(100);
          const bytes = rangeAt(failing, offset);
          const append = () => world.append(tenant, experimentId, failing, offset, bytes).catch(() => null);
          armFailpoints(`${place(seed)}=throw:0.8,seed=${seed}`, () => undefined);
          while (!stop.aborted && (await attempts.during(append))?.kind !== 'acknowledged') failures++;
          offset += bytes.length;
        }
        armFailpoints(undefined);
        return offset;
      };
      /**
       * Processes that are killed between object and row; the next process continues at the durable
       * offset.
       */
      const die = async (stop: AbortSignal): Promise<void> => {
        while (!stop.aborted && kills < killsOfUploads) {
          const offset = await durableOffset(dying);
          expect(offset).toBeGreaterThanOrEqual(acknowledged);
          const failpoints = `${place(kills)}=kill:0.4,seed=${kills}`;
          const settings = { appUrl: database.appUrl, blobs: objects.options, tenant, experimentId, fileId: dying, offset, failpoints };
          acknowledged = (await attempts.during(() => runUploader(settings))) ?? acknowledged;
          kills++;
        }
      };
      const seen = attempts.outlasted(objects.blobs);
      const [sent] = await collectBeside(signal, [fail, die] as const, async () => {
        removed += (await collectOrphans(store, seen, graceMs)).removed;
        await sleep(20);
      });
      expect(kills).toBe(killsOfUploads);
      expect(failures + kills).toBeGreaterThanOrEqual(deaths);
      expect(removed).toBeGreaterThan(0);

      const keys = await referred();
      expect(await durableOffset(failing)).toBe(sent);
      expect(await durableOffset(dying)).toBeGreaterThanOrEqual(acknowledged);
      expect(keys).toHaveLength((sent + (await durableOffset(dying))) / rangeBytes);
      expect((await world.objects(tenant)).length).toBeGreaterThan(keys.length);
      await sleep(graceMs + wholeSecondsMs);
      expect((await collectOrphans(store, objects.blobs, graceMs)).removed).toBeGreaterThan(0);
      expect(await world.objects(tenant)).toEqual(keys);
      for (const { fileId, offset, key } of await segments()) {
        const bytes = await objects.blobs.get(tenant.tenantId, key);
        expect([fileId, offset, bytes.equals(rangeAt(fileId, offset))]).toEqual([fileId, offset, true]);
      }
    }, 1_200_000);

    const segments = async (): Promise<{ fileId: FileId; offset: number; key: string }[]> => {
      const rows = await store.withTenant(tenant.tenantId, ({ trx }) =>
        trx.selectFrom('segment').select(['file_id', 'offset', 'object_key']).where('tenant_id', '=', tenant.tenantId).execute(),
      );
      return rows.map((row) => ({ fileId: row.file_id, offset: Number(row.offset), key: row.object_key! }));
    };

    const durableOffset = async (fileId: FileId): Promise<number> => {
      const row = await store.withTenant(tenant.tenantId, ({ trx }) =>
        trx
          .selectFrom('event_file')
          .select('durable_offset')
          .where('tenant_id', '=', tenant.tenantId)
          .where('file_id', '=', fileId)
          .executeTakeFirstOrThrow(),
      );
      return Number(row.durable_offset);
    };

    it('never removes a blob or tensor that is referenced meanwhile, even without a grace period', async ({ signal }) => {
      const experimentId = await world.experiment(tenant);
      const shared = Array.from({ length: 6 }, (_, i) => i);
      const event = (run: string, round: number): TestEvent => ({
        step: BigInt(round),
        values: [
          { tag: 'shown', images: shared.map((i) => Buffer.from(`${run} ${round} ${i}`)) },
          { tag: 'big', tensor: Array.from({ length: 5_000 }, (_, n) => n + round + (run === 'a' ? 0 : 1_000)) },
        ],
      });
      let failures = 0;
      let removed = 0;
      const ingest = async (run: string, stop: AbortSignal): Promise<void> => {
        const fileId = await world.open(tenant, experimentId, run, 'tfevents.1');
        let offset = 0;
        // Some failed objects are put again before a collection sees them, so the test runs until
        // something was collected.
        for (let round = 0; !stop.aborted && (round < 25 || (removed === 0 && round < 1_000)); round++) {
          // Some attempts die between object and row; others pause at that point.
          armFailpoints(`before-ingest-commit=${round % 2 ? 'throw:0.7' : 'sleep:60'},seed=${round}`, () => undefined);
          const bytes = recordsOf([event(run, round)], offset === 0);
          await world.append(tenant, experimentId, fileId, offset, bytes);
          offset += bytes.length;
          const [job] = await store.withTenant(tenant.tenantId, ({ trx }) =>
            trx.selectFrom('event_file').select('run_id').where('tenant_id', '=', tenant.tenantId).where('file_id', '=', fileId).execute(),
          );
          const ingested = () =>
            world.ingestJob({ tenantId: tenant.tenantId, experimentId, runId: job!.run_id }).then(
              () => true,
              () => false,
            );
          while (!stop.aborted && !(await ingested())) failures++; // Its blobs exist, but no row.
        }
      };
      // The grace period is 0: only the lock protects new objects. Segments are too young to be
      // collected.
      const content = contentOnly(objects.blobs);
      await collectBeside(signal, [(stop) => ingest('a', stop), (stop) => ingest('b', stop)], async () => {
        removed += (await collectOrphans(store, content, -60_000)).removed;
      });
      expect(removed).toBeGreaterThan(0);
      expect(failures).toBeGreaterThan(10);
      const there = new Set(await world.objects(tenant));
      for (const key of await referred()) expect(there.has(key), key).toBe(true);
    });
  });
}

/** Runs an uploader until it kills itself; returns the end of the acknowledged range, or null. */
async function runUploader(settings: UploaderSettings): Promise<number | null> {
  const child = spawn(process.execPath, ['--conditions=source', join(import.meta.dirname, 'uploader.ts')], {
    env: { ...process.env, DELETION_UPLOADER: JSON.stringify(settings) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { stdout, stderr } = await outputOf(child);
  expect(child.signalCode, stderr).toBe('SIGKILL');
  const last = stdout.trim().split('\n').at(-1);
  return last ? Number(last) : null;
}

type Writer<T> = (stop: AbortSignal) => Promise<T>;

/**
 * Runs writers concurrently with repeated calls of `collect` until all writers have ended; returns
 * their results. If a writer or `collect` fails, or the test is over, the remaining writers are
 * stopped and awaited, so that nothing continues during the next test.
 */
async function collectBeside<T extends readonly unknown[]>(
  over: AbortSignal,
  writers: { readonly [K in keyof T]: Writer<T[K]> },
  collect: () => Promise<void>,
): Promise<T> {
  const failed = new AbortController();
  const orStop = <R>(work: Promise<R>): Promise<R> =>
    work.catch((error: unknown) => {
      failed.abort();
      throw error;
    });
  const stop = AbortSignal.any([over, failed.signal]);
  let writing = true;
  const written = writers.map((writer) => orStop(writer(stop)));
  const ended = Promise.allSettled(written).then(() => (writing = false));
  const collected = orStop(
    (async () => {
      while (writing) await collect();
    })(),
  );
  await Promise.allSettled([ended, collected]);
  await collected;
  return (await Promise.all(written)) as unknown as T;
}

/** Tracks the start times of the append attempts in progress. */
class Attempts {
  readonly #started = new Set<{ readonly at: number }>();

  /** Runs work that makes one or several attempts. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const started = { at: Date.now() };
    this.#started.add(started);
    try {
      return await work();
    } finally {
      this.#started.delete(started);
    }
  }

  /**
   * Returns a view of an object store with a clock that never runs ahead of an attempt by more than
   * the grace period. The collection's assumption then holds on any machine, even on a machine that
   * delays an append between object and ledger.
   */
  outlasted(blobs: BlobStore): BlobStore {
    return viewOf(blobs, {
      now: async () => {
        const now = (await blobs.now()).getTime();
        // Evaluated when the time is read: earlier attempts have committed or never will, and the
        // objects of later attempts are younger.
        const oldestMs = Math.max(0, ...[...this.#started].map(({ at }) => Date.now() - at));
        return new Date(now - Math.max(0, oldestMs + wholeSecondsMs - graceMs));
      },
    });
  }
}

/** Returns a view of an object store that lists only blobs and tensors. */
function contentOnly(blobs: BlobStore): BlobStore {
  return viewOf(blobs, {
    list: async function* (tenantId, prefix) {
      for await (const object of blobs.list(tenantId, prefix)) if (/^(blob|tensor)\//.test(object.key)) yield object;
    },
  });
}

/** Returns an object store with some methods replaced. */
function viewOf(blobs: BlobStore, others: Partial<BlobStore>): BlobStore {
  return new Proxy(blobs, {
    get(target, property) {
      const value: unknown = Reflect.get(Object.hasOwn(others, property) ? others : target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
