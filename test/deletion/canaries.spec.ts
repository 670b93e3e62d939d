import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownerOf } from '#auth/testing';
import { removeExperiment, removeWorkspace, requestDeletion } from '#experiments';
import { type FileId, Problem } from '#model';
import { readFileRange } from '#originals';
import { readFile, Store, type TenantScope } from '#store';
import { createTestDatabase, describeWith, seededRandom, tableRows, type TestDatabase } from '#testing';
import { collectOrphans } from '../../apps/ingest/src/deletion/collect-orphans.ts';
import { workOnDeletion } from '../../apps/ingest/src/deletion/work-on-deletion.ts';
import { DeletionWorld, recordsOf, type TestEvent, type TestTenant } from '../../apps/ingest/src/testing/deletion-world.ts';
import { objectStores, type TestObjects } from './stores.ts';
import { findTraces } from './traces.ts';

/** DELETION_ROUNDS=1000 runs the full set. */
const rounds = Number(process.env.DELETION_ROUNDS ?? 40);
const lanes = 4;
const bounds = { leaseMs: 60_000, retryMs: 0, rowsAtOnce: 200 };

/* Reliability test 71 with the code for acknowledgement and ingest, without processes. */
for (const { kind, parts, open } of objectStores) {
  describeWith(parts, `data deleted during its upload, with objects in ${kind}`, () => {
    let database: TestDatabase;
    let objects: TestObjects;
    let store: Store;
    let world: DeletionWorld;

    beforeAll(async () => {
      database = await createTestDatabase();
      objects = await open();
      store = new Store({ ...database, ingestPoolSize: 8 });
      world = new DeletionWorld(store, objects.blobs);
    });
    afterAll(async () => {
      await store?.close();
      await objects?.drop();
      await database?.drop();
    });

    const events = (canary: string, from: number): TestEvent[] =>
      Array.from({ length: 3 }, (_, i) => ({
        step: BigInt(from + i),
        values: [
          { tag: `loss ${canary}`, scalar: i },
          { tag: `note ${canary}`, text: `${canary} ${i}` },
          { tag: `shown ${canary}`, images: [Buffer.from(`${canary} ${from + i}`), Buffer.from(canary.repeat(i === 0 ? 3_000 : 1))] },
        ],
      }));

    /** Owners of all rounds. */
    const people: string[] = [];
    const late = new Set(['acknowledged', 'file-not-found', 'experiment-not-found', 'run-deleted']);

    /**
     * Uploads, ingests and deletes concurrently; the random numbers determine what is deleted, and
     * when.
     */
    async function round(canary: string, random: () => number): Promise<void> {
      const tenant = await world.tenant(`lab ${canary}`, `Ada ${canary}`);
      people.push(tenant.personId);
      const experimentId = await world.experiment(tenant, `name ${canary}`, canary);
      const files = await Promise.all(
        [0, 1].map((n) => again(() => world.open(tenant, experimentId, `run ${canary}`, `events.tfevents.${n} ${canary}`))),
      );
      const what = ['experiment', 'runs', 'tags', 'workspace'][Math.floor(random() * 4)]!;
      const partsBefore = Math.floor(random() * 3);
      let asked = false;
      const upload = async (fileId: FileId): Promise<void> => {
        for (let part = 0, offset = 0; part < 5; part++) {
          const bytes = recordsOf(events(canary, part * 3), offset === 0);
          const outcome = await again(() => world.append(tenant, experimentId, fileId, offset, bytes));
          expect(late).toContain(outcome.kind);
          if (outcome.kind !== 'acknowledged') {
            expect(asked).toBe(true);
            return;
          }
          offset += bytes.length;
          if (part >= partsBefore) await again(() => world.ingest(tenant).catch(ignoreGone));
        }
      };
      const caller = ownerOf(tenant);
      const inWorkspace = <T>(work: (scope: TenantScope) => Promise<T>): Promise<T> => again(() => store.withTenant(tenant.tenantId, work));
      const ask = async (): Promise<string> => {
        // A random moment during the upload.
        for (let turns = Math.floor(random() * 40); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
        asked = true;
        const deletion = await inWorkspace((scope) => {
          if (what === 'experiment') return removeExperiment(scope, caller, experimentId);
          if (what === 'workspace') return removeWorkspace(scope, caller, `lab ${canary}`);
          return requestDeletion(scope, caller, experimentId, what === 'runs' ? { runs: [`run ${canary}`] } : { tags: tagsOf(canary) });
        });
        return deletion.deletionId;
      };
      const [deletionId] = await Promise.all([ask(), ...files.map(upload)]);
      await finish(tenant, deletionId);
      // The deletion covers the uploaded part of a tag; then the rest of the tag and its parents
      // must be deleted, too.
      if (what === 'tags') {
        await finish(tenant, await ask());
        for (const fileId of files) expect(await contentOf(tenant, fileId)).not.toContain(canary);
      }
      for (const fileId of files) {
        const outcome = await again(() => world.append(tenant, experimentId, fileId, 0, recordsOf(events(canary, 0), true)));
        if (what !== 'tags') expect(['file-not-found', 'experiment-not-found', 'run-deleted']).toContain(outcome.kind);
        else expect(['in-original', 'conflict', 'acknowledged']).toContain(outcome.kind);
      }
      if (what === 'tags' || what === 'runs') {
        const { deletionId: last } = await inWorkspace((scope) => removeExperiment(scope, caller, experimentId));
        await finish(tenant, last);
      }
      if (what !== 'workspace') {
        const { deletionId: last } = await inWorkspace((scope) => removeWorkspace(scope, caller, `lab ${canary}`));
        await finish(tenant, last);
      }
    }

    /** Returns the downloadable bytes of a file. */
    async function contentOf({ tenantId }: TestTenant, fileId: FileId): Promise<string> {
      const inTenant = <T>(work: (scope: TenantScope) => Promise<T>): Promise<T> => again(() => store.withTenant(tenantId, work));
      const file = await inTenant((scope) => readFile(scope, fileId));
      const pieces: Buffer[] = [];
      const source = { inTenant, blobs: objects.blobs, tenantId, fileId };
      for await (const piece of readFileRange(source, { start: 0, end: file!.durableOffset })) pieces.push(piece);
      return Buffer.concat(pieces).toString('latin1');
    }

    const tagsOf = (canary: string) => ['loss', 'note', 'shown'].map((tag) => `${tag} ${canary}`);

    async function finish({ tenantId }: TestTenant, deletionId: string): Promise<void> {
      for (;;) {
        const outcome = await again(() => workOnDeletion(store, objects.blobs, { tenantId, deletionId }, bounds));
        if (outcome !== 'waiting') return expect(outcome).toBe('done');
        await again(() => world.ingest({ tenantId, personId: '' }).catch(ignoreGone));
      }
    }

    it(`is gone everywhere after ${rounds} rounds, and late ranges do not restore it`, async () => {
      const random = seededRandom(71);
      const canaries = Array.from({ length: rounds }, () => randomBytes(16).toString('hex'));
      const waiting = [...canaries];
      await Promise.all(
        Array.from({ length: lanes }, async () => {
          for (let canary = waiting.pop(); canary; canary = waiting.pop()) await round(canary, random);
        }),
      );
      await collectOrphans(store, objects.blobs, -60_000);
      expect(await findTraces(database.adminUrl, objects.blobs, canaries)).toEqual([]);
      // The search would not find a canary in a compressed object, so no objects may remain.
      const left: string[] = [];
      for await (const { key } of objects.blobs.list(null, '')) left.push(key);
      expect(left).toEqual([]);
      // Only the records of the deletions remain, and they do not name the requester.
      expect(people).toHaveLength(rounds);
      const ids = new Set(people);
      for await (const row of tableRows(database.adminUrl)) {
        expect(['deletion', 'schema_migration'], row.text).toContain(row.table);
        expect((row.text.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? []).filter((id) => ids.has(id))).toEqual([]);
      }
    }, 7_200_000);
  });
}

/** Retries while the database is too busy, as clients and workers do. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'store-unavailable' || tries === 50) throw error;
    }
  }
}

/** Ignores errors about objects that were deleted in the meantime. */
function ignoreGone(error: unknown): void {
  if (
    error instanceof Error &&
    /is gone|no such file|There is no such file|are not of this run/i.test(`${error.message} ${String(error.cause)}`)
  )
    return;
  throw error;
}
