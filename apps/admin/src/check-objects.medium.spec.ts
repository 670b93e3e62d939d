import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { BlobStore } from '#blobs';
import { MemoryBlobStore } from '#blobs/testing';
import type { ExperimentId, FileId } from '#model';
import { joinOriginal } from '#originals';
import { findLostRange, Operator, Store } from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { DeletionWorld, recordsOf, type TestEvent, type TestTenant } from '../../ingest/src/testing/deletion-world.ts';
import type { CheckReport } from './check-objects.ts';
import { runAdmin } from './program.ts';

const large = Array.from({ length: 6_000 }, (_, i) => i / 7); // larger than a tensor that a row stores
const events: TestEvent[] = Array.from({ length: 20 }, (_, step) => ({
  step: BigInt(step),
  values: [
    { tag: 'loss', scalar: step },
    { tag: 'weights', tensor: large.map((x) => x + step) },
    { tag: 'image', images: [new Uint8Array([step, 1, 2, 3])] },
  ],
}));

describeWith(['postgres'], 'npm run admin -- check', () => {
  let database: TestDatabase;
  let store: Store;
  let blobs: BlobStore;
  let world: DeletionWorld;
  let tenant: TestTenant;
  let experimentId: ExperimentId;
  /** A file stored as segments in objects, and a file whose segments were joined. */
  let files: { segments: FileId; joined: FileId };

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  beforeEach(async () => {
    blobs = new MemoryBlobStore();
    world = new DeletionWorld(store, blobs);
    tenant = await world.tenant();
    experimentId = await world.experiment(tenant);
    const bytes = recordsOf(events, true);
    const half = bytes.length >> 1;
    const upload = async (name: string, complete: boolean): Promise<FileId> => {
      const fileId = await world.open(tenant, experimentId, 'run', name);
      await world.append(tenant, experimentId, fileId, 0, bytes.subarray(0, half));
      await world.append(tenant, experimentId, fileId, half, bytes.subarray(half));
      if (complete) await world.complete(tenant, fileId, bytes.length);
      await world.ingest(tenant);
      return fileId;
    };
    files = { segments: await upload('events.out.tfevents.1', false), joined: await upload('events.out.tfevents.2', true) };
    await joinOriginal(store, blobs, tenant.tenantId, files.joined);
  });

  async function admin(...argv: string[]): Promise<{ exitCode: number; report: CheckReport }> {
    let out = '';
    const exitCode = await runAdmin(['check', ...argv], {
      open: async () => new Operator(database.migratorUrl),
      openBlobs: async () => blobs,
      urlOf: (path: string) => path,
      write: (text) => (out += text),
      writeError: (text) => (out += text),
    });
    return { exitCode, report: JSON.parse(out) as CheckReport };
  }

  const keys = async (kind: string) => (await world.objects(tenant)).filter((key) => key.startsWith(`${kind}/`));

  it('finds nothing when nothing is lost, and counts what it checked', async () => {
    const count = async (kind: string) => (await keys(kind)).length;
    const checked = {
      segments: await count('segment'),
      originals: await count('original'),
      tensors: await count('tensor'),
      blobs: await count('blob'),
    };
    expect(Object.values(checked).every((n) => n > 0)).toBe(true);
    for (const options of [[], ['--checksums'], ['--quarantine']]) {
      const { exitCode, report } = await admin(tenant.tenantId, ...options);
      expect([exitCode, report]).toEqual([0, { workspaces: 1, checked, faults: [], quarantined: 0, released: 0 }]);
    }
    expect((await admin()).report.workspaces).toBeGreaterThan(0);
    expect((await runAdmin(['check', randomUUID()], silentHost())).valueOf()).toBe(4);
  });

  function silentHost() {
    return {
      open: async () => new Operator(database.migratorUrl),
      openBlobs: async () => blobs,
      urlOf: (path: string) => path,
      write: () => undefined,
      writeError: () => undefined,
    };
  }

  it('names each missing object, of every kind, with the bytes of the file it held', async () => {
    const all = await world.objects(tenant);
    const removed = all.filter((_, i) => i % 3 === 0);
    for (const key of removed) await blobs.delete(tenant.tenantId, key);
    const { exitCode, report } = await admin(tenant.tenantId);
    expect(exitCode).toBe(3);
    expect(report.faults.map(({ object }) => object).sort()).toEqual(removed);
    expect(new Set(report.faults.map(({ reason, experiment, workspace }) => `${reason} ${experiment} ${workspace}`))).toEqual(
      new Set([`missing ${experimentId} ${tenant.tenantId}`]),
    );
    const [segment] = report.faults.filter(({ object }) => object.startsWith('segment/'));
    if (segment) expect(segment.file).toMatchObject({ id: files.segments });
  });

  it('detects a wrong size, and with checksums wrong bytes, in objects of every kind', async () => {
    const damaged: string[] = [];
    for (const kind of ['segment', 'original', 'tensor', 'blob']) {
      const [key] = await keys(kind);
      const bytes = Buffer.from(await blobs.get(tenant.tenantId, key!));
      bytes[bytes.length >> 1]! ^= 1;
      await replace(key!, bytes);
      damaged.push(key!);
    }
    expect((await admin(tenant.tenantId)).report.faults).toEqual([]); // the sizes are right
    const { exitCode, report } = await admin(tenant.tenantId, '--checksums');
    expect(exitCode).toBe(3);
    expect(report.faults.map(({ object, reason }) => `${object} ${reason}`).sort()).toEqual(damaged.map((key) => `${key} damaged`).sort());
    const [blob] = await keys('blob');
    await replace(blob!, Buffer.from('short'));
    expect((await admin(tenant.tenantId)).report.faults).toMatchObject([{ object: blob, reason: 'size' }]);
  });

  async function replace(key: string, bytes: Buffer): Promise<void> {
    await blobs.delete(tenant.tenantId, key);
    await blobs.put(tenant.tenantId, key, bytes);
  }

  it('quarantines lost ranges of files, and releases them once the objects are back', async () => {
    const [original] = await keys('original');
    const bytes = Buffer.from(await blobs.get(tenant.tenantId, original!));
    await blobs.delete(tenant.tenantId, original!);
    expect((await admin(tenant.tenantId, '--quarantine')).report).toMatchObject({ quarantined: 1, released: 0 });
    const lost = (fileId: FileId) =>
      store.withTenant(tenant.tenantId, (scope) => findLostRange(scope, fileId, { start: 0, end: 10 }), { readOnly: true });
    expect([await lost(files.joined), await lost(files.segments)]).toEqual([{ offset: 0, bytes: expect.any(Number) }, null]);
    await blobs.put(tenant.tenantId, original!, bytes);
    expect((await admin(tenant.tenantId, '--quarantine', '--checksums')).report).toMatchObject({ faults: [], quarantined: 0, released: 1 });
    expect(await lost(files.joined)).toBeNull();
  });
});
