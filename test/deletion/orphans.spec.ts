import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { BlobStore } from '#blobs';
import { Store } from '#store';
import { armFailpoints } from '#telemetry';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { collectOrphans } from '../../apps/ingest/src/deletion/collect-orphans.ts';
import { DeletionWorld, recordsOf, type TestEvent, type TestTenant } from '../../apps/ingest/src/testing/deletion-world.ts';
import { outputOf } from '../e2e/service.ts';
import { rangeAt, rangeBytes } from './ranges.ts';
import { objectStores, type TestObjects } from './stores.ts';
import type { UploaderSettings } from './uploader.ts';

/** Longer than appends take; where one takes longer, the collector's time waits for it ({@link Attempts}). */
const graceMs = 5_000;
/** Object stores tell times in whole seconds: that of an object and that of now. */
const wholeSecondsMs = 3_000;

const deaths = Number(process.env.ORPHAN_DEATHS ?? 6);
/** How many of them kill a process; the others are thrown, which is faster. Half of them by DELETION_KILLS=50. */
const killsOfUploads = Math.min(deaths, Number(process.env.DELETION_KILLS ?? 8));

/* Reliability test 6. */
for (const { kind, parts, open } of objectStores) {
  describeWith(parts, `the collection of orphans, with objects in ${kind}`, () => {
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

    /** Keys that rows of the tenant refer to. */
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

    it(`leaves every acknowledged range where appends die between object and ledger ${deaths} times, and takes what they left`, async ({
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

      /** Appends that fail there, each tried again, as a client does that has no answer; until all is over, so that the last ones left something lately. */
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
      /** Processes that are killed there; the next one goes on where the last one was durable. */
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

    const segments = async (): Promise<{ fileId: string; offset: number; key: string }[]> => {
      const rows = await store.withTenant(tenant.tenantId, ({ trx }) =>
        trx.selectFrom('segment').select(['file_id', 'offset', 'object_key']).where('tenant_id', '=', tenant.tenantId).execute(),
      );
      return rows.map((row) => ({ fileId: row.file_id, offset: Number(row.offset), key: row.object_key! }));
    };

    const durableOffset = async (fileId: string): Promise<number> => {
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

    it('never takes a blob or tensor that comes into use while it looks, though it waits for nothing', async ({ signal }) => {
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
        // Some of what fails is put again before anybody looks; so until something was collected.
        for (let round = 0; !stop.aborted && (round < 25 || (removed === 0 && round < 1_000)); round++) {
          // Some die between object and row, others take their time there.
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
          while (!stop.aborted && !(await ingested())) failures++; // its blobs are there, and no row
        }
      };
      // Nothing is too young: only the lock keeps what is being put from being taken. Segments are younger than what may be collected of them.
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

/** Runs an upload until it kills itself; the end of what was acknowledged to it, null when nothing was. */
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
 * Runs writers side by side, and `collect` again and again until all of them have ended; what they return. When one of them or `collect` fails, or the test is over, the
 * others are told to stop, and are waited for: nothing goes on under the next test.
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

/** Since when which attempts to append are under way. */
class Attempts {
  readonly #begun = new Set<{ readonly at: number }>();

  /** Does what makes an attempt, or several. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const begun = { at: Date.now() };
    this.#begun.add(begun);
    try {
      return await work();
    } finally {
      this.#begun.delete(begun);
    }
  }

  /**
   * A view of an object store by whose time no attempt takes longer than the grace. What the collection stands on is so on any machine, also on one that holds an append
   * up between object and ledger: its objects are then as young as they are allowed to be.
   */
  outlasted(blobs: BlobStore): BlobStore {
    return viewOf(blobs, {
      now: async () => {
        const now = (await blobs.now()).getTime();
        // Looked at when the time was told: what ended before is committed by now or never, and the objects of what began after it are younger.
        const oldestMs = Math.max(0, ...[...this.#begun].map(({ at }) => Date.now() - at));
        return new Date(now - Math.max(0, oldestMs + wholeSecondsMs - graceMs));
      },
    });
  }
}

/** A view of an object store whose list has blobs and tensors only. */
function contentOnly(blobs: BlobStore): BlobStore {
  return viewOf(blobs, {
    list: async function* (tenantId, prefix) {
      for await (const object of blobs.list(tenantId, prefix)) if (/^(blob|tensor)\//.test(object.key)) yield object;
    },
  });
}

/** An object store of which some methods are others. */
function viewOf(blobs: BlobStore, others: Partial<BlobStore>): BlobStore {
  return new Proxy(blobs, {
    get(target, property) {
      const value: unknown = Reflect.get(Object.hasOwn(others, property) ? others : target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
