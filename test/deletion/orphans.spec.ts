import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Store } from '#store';
import { armFailpoints } from '#telemetry';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { collectOrphans } from '../../apps/ingest/src/deletion/collect-orphans.ts';
import { DeletionWorld, recordsOf, type TestEvent, type TestTenant } from '../../apps/ingest/src/testing/deletion-world.ts';
import { objectStores, type TestObjects } from './stores.ts';

/** Longer than any append of these tests takes. */
const graceMs = 5_000;
/** Object stores tell times in whole seconds: that of an object and that of now. */
const wholeSecondsMs = 3_000;

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

    /** Collects again and again until `until` is settled; how many objects that removed. */
    async function collectWhile(until: Promise<unknown>, grace: number): Promise<number> {
      let over = false;
      const end = until.then(
        () => (over = true),
        () => (over = true),
      );
      let removed = 0;
      while (!over) {
        removed += (await collectOrphans(store, objects.blobs, grace)).removed;
        await sleep(20);
      }
      await end;
      await until;
      return removed;
    }

    /** Keys that rows of the tenant refer to. */
    const referred = () =>
      store.withTenant(tenant.tenantId, async (trx) => {
        const of = async (table: 'segment' | 'tensor_value') =>
          (await trx.selectFrom(table).select('object_key').where('tenant_id', '=', tenant.tenantId).execute()).map(
            (row) => row.object_key,
          );
        const blobs = await trx.selectFrom('blob_sequence_value').select('blob_sha256').where('tenant_id', '=', tenant.tenantId).execute();
        const hashes = blobs.flatMap((row) => row.blob_sha256.map((hash) => hash && `blob/${hash.toString('hex')}`));
        return [...new Set([...(await of('segment')), ...(await of('tensor_value')), ...hashes])].filter((key) => key !== null).sort();
      });

    it('leaves every acknowledged range where appends die between object and ledger 100 times, and takes what they left', async () => {
      const experimentId = await world.experiment(tenant);
      const fileId = await world.open(tenant, experimentId, 'r', 'tfevents.1');
      const sent: Buffer[] = [];
      const upload = async (): Promise<number> => {
        let deaths = 0;
        for (let offset = 0, seed = 1; deaths < 100; seed++) {
          const bytes = randomBytes(70_000);
          armFailpoints(`${seed % 2 ? 'after-object-put' : 'before-ledger-commit'}=throw:0.8,seed=${seed}`, () => undefined);
          for (;;) {
            // The same range again, as a client does that has no answer.
            const outcome = await world.append(tenant, experimentId, fileId, offset, bytes).catch(() => null);
            if (outcome?.kind === 'acknowledged') break;
            deaths++;
          }
          sent.push(bytes);
          offset += bytes.length;
        }
        return deaths;
      };
      const uploaded = upload();
      await collectWhile(uploaded, graceMs);
      expect(await uploaded).toBeGreaterThanOrEqual(100);
      armFailpoints(undefined);

      const keys = await referred();
      expect(keys).toHaveLength(sent.length);
      expect((await world.objects(tenant)).length).toBeGreaterThan(keys.length);
      await sleep(graceMs + wholeSecondsMs);
      expect((await collectOrphans(store, objects.blobs, graceMs)).removed).toBeGreaterThan(0);
      expect(await world.objects(tenant)).toEqual(keys);
      for (const [i, key] of keys.entries()) {
        const offset = Number(/\/(\d+)-\d+-/.exec(key)![1]);
        expect((await objects.blobs.get(tenant.tenantId, key)).equals(sent[offset / 70_000]!), `${i}`).toBe(true);
      }
    });

    it('never takes a blob or tensor that comes into use while it looks, though it waits for nothing', async () => {
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
      const ingest = async (run: string): Promise<void> => {
        const fileId = await world.open(tenant, experimentId, run, 'tfevents.1');
        let offset = 0;
        for (let round = 0; round < 25; round++) {
          // Some die between object and row, others take their time there.
          armFailpoints(`before-ingest-commit=${round % 2 ? 'throw:0.7' : 'sleep:60'},seed=${round}`, () => undefined);
          const bytes = recordsOf([event(run, round)], offset === 0);
          await world.append(tenant, experimentId, fileId, offset, bytes);
          offset += bytes.length;
          const [job] = await store.withTenant(tenant.tenantId, (trx) =>
            trx.selectFrom('event_file').select('run_id').where('tenant_id', '=', tenant.tenantId).where('file_id', '=', fileId).execute(),
          );
          for (;;) {
            try {
              await world.ingestJob({ tenantId: tenant.tenantId, experimentId, runId: job!.run_id });
              break;
            } catch {
              failures++; // its blobs are there, and no row
            }
          }
        }
      };
      const ingested = Promise.all(['a', 'b'].map(ingest));
      // Nothing is too young: only the lock keeps what is being put from being taken. Segments are younger than what may be collected of them.
      await collectContentWhile(ingested);
      await ingested;
      expect(failures).toBeGreaterThan(10);
      const there = new Set(await world.objects(tenant));
      for (const key of await referred()) expect(there.has(key), key).toBe(true);
    });

    /** Collects blobs and tensors without any grace. */
    async function collectContentWhile(until: Promise<unknown>): Promise<void> {
      const content = new ContentOnly(objects.blobs);
      let over = false;
      const end = until.finally(() => (over = true)).catch(() => undefined);
      let removed = 0;
      while (!over) removed += (await collectOrphans(store, content.blobs, -60_000)).removed;
      await end;
      expect(removed).toBeGreaterThan(0);
    }
  });
}

/** A view of an object store whose list has blobs and tensors only. */
class ContentOnly {
  readonly blobs: TestObjects['blobs'];

  constructor(blobs: TestObjects['blobs']) {
    this.blobs = new Proxy(blobs, {
      get(target, property) {
        if (property === 'list') {
          return async function* (tenantId: string | null, prefix: string) {
            for await (const object of target.list(tenantId, prefix)) if (/^(blob|tensor)\//.test(object.key)) yield object;
          };
        }
        const value: unknown = Reflect.get(target, property, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}
