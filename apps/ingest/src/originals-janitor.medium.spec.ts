import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { MemoryBlobStore } from '#blobs/testing';
import { joinOriginal } from '#originals';
import { Store } from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { OriginalsJanitor } from './originals-janitor.ts';
import { DeletionWorld, recordsOf, type TestTenant } from './testing/deletion-world.ts';

describeWith(['postgres'], 'joining complete files', () => {
  let database: TestDatabase;
  let store: Store;
  let world: DeletionWorld;
  let tenant: TestTenant;
  let experimentId: string;
  let joined: string[];
  const bytes = recordsOf([{ step: 1n, values: [{ tag: 'loss', scalar: 1 }] }], true);

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    world = new DeletionWorld(store, new MemoryBlobStore());
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });
  beforeEach(async () => {
    tenant = await world.tenant();
    experimentId = await world.experiment(tenant);
    joined = [];
  });

  async function completeFile(run: string): Promise<string> {
    const fileId = await world.open(tenant, experimentId, run, 'events.out.tfevents.1');
    await world.append(tenant, experimentId, fileId, 0, bytes);
    await world.complete(tenant, fileId, bytes.length);
    return fileId;
  }

  function janitor(options: { everyMs?: number; maxFiles?: number } = {}): OriginalsJanitor {
    const join = async ({ tenantId, fileId }: { tenantId: string; fileId: string }): Promise<void> => {
      joined.push(fileId);
      expect(await joinOriginal(store, world.blobs, tenantId, fileId)).toBe('joined');
    };
    const onError = (error: unknown): void => expect.unreachable(String(error));
    return new OriginalsJanitor(store, { join }, { everyMs: 0, onError, ...options });
  }

  it('takes those that are ingested, each once, and asks for no others', async () => {
    const done = [await completeFile('a'), await completeFile('b')];
    await world.ingest(tenant);
    await completeFile('c');
    const own = janitor();
    for (let round = 0; round < 3; round++) await own.round();
    expect(joined.toSorted()).toEqual(done.toSorted());
  });

  it('comes to them though more than it looks at in a round wait for being ingested', async () => {
    for (const run of ['a', 'b', 'c', 'd', 'e']) await completeFile(run);
    const last = await completeFile('f');
    const { run_id: runId } = await store.withTenant(tenant.tenantId, (trx) =>
      trx
        .selectFrom('event_file')
        .select('run_id')
        .where('tenant_id', '=', tenant.tenantId)
        .where('file_id', '=', last)
        .executeTakeFirstOrThrow(),
    );
    await world.ingestJob({ tenantId: tenant.tenantId, experimentId, runId });
    const own = janitor({ maxFiles: 2 });
    for (let round = 0; round < 4; round++) await own.round();
    expect(joined).toEqual([last]);
    await world.ingest(tenant);
    for (let round = 0; round < 4; round++) await own.round();
    expect(joined).toHaveLength(6);
  });

  it('leaves them alone until they have been complete for as long as a round', async () => {
    await completeFile('a');
    await world.ingest(tenant);
    await janitor({ everyMs: 3_600_000 }).round();
    expect(joined).toEqual([]);
    await janitor().round();
    expect(joined).toHaveLength(1);
  });
});
