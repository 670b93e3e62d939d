import { afterEach, beforeEach, expect, it } from 'vitest';
import { MemoryBlobStore } from '#blobs/testing';
import type { ExperimentId, FileId } from '#model';
import { joinOriginal } from '#originals';
import { type FileToJoin, Store } from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { OriginalsJanitor, type OriginalsJanitorOptions } from './originals-janitor.ts';
import { DeletionWorld, recordsOf, type TestTenant } from './testing/deletion-world.ts';

describeWith(['postgres'], 'joining complete files', () => {
  let database: TestDatabase;
  let store: Store;
  let world: DeletionWorld;
  let tenant: TestTenant;
  let experimentId: ExperimentId;
  let joined: FileId[];
  let errors: unknown[];
  const bytes = recordsOf([{ step: 1n, values: [{ tag: 'loss', scalar: 1 }] }], true);

  beforeEach(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    world = new DeletionWorld(store, new MemoryBlobStore());
    tenant = await world.tenant();
    experimentId = await world.experiment(tenant);
    joined = [];
    errors = [];
  });
  afterEach(async () => {
    await store?.close();
    await database?.drop();
  });

  async function completeFile(run: string, owner = { tenant, experimentId }): Promise<FileId> {
    const fileId = await world.open(owner.tenant, owner.experimentId, run, 'events.out.tfevents.1');
    await world.append(owner.tenant, owner.experimentId, fileId, 0, bytes);
    await world.complete(owner.tenant, fileId, bytes.length);
    return fileId;
  }

  /** Ingests only the pending bytes of a file's run. */
  async function ingestRunOf(fileId: FileId): Promise<void> {
    const { tenantId } = tenant;
    const { run_id: runId } = await store.withTenant(tenantId, ({ trx }) =>
      trx
        .selectFrom('event_file')
        .select('run_id')
        .where('tenant_id', '=', tenantId)
        .where('file_id', '=', fileId)
        .executeTakeFirstOrThrow(),
    );
    await world.ingestJob({ tenantId, experimentId, runId });
  }

  async function join({ tenantId, fileId }: FileToJoin): Promise<void> {
    joined.push(fileId);
    expect(await joinOriginal(store, world.blobs, tenantId, fileId)).toBe('joined');
  }

  function janitor(options: Partial<OriginalsJanitorOptions> = {}, runner = join): OriginalsJanitor {
    const onError = (error: unknown): unknown => errors.push(error);
    return new OriginalsJanitor(store, { join: runner }, { everyMs: 60_000, completeForMs: 0, maxFiles: 1_000, onError, ...options });
  }

  async function rounds(count: number, own: OriginalsJanitor): Promise<void> {
    for (let round = 0; round < count; round++) await own.round();
  }

  it('joins each ingested file once, and no others', async () => {
    const ingested = [await completeFile('a'), await completeFile('b')];
    await world.ingest(tenant);
    await completeFile('c');
    await rounds(3, janitor());
    expect(joined.toSorted()).toEqual(ingested.toSorted());
    expect(errors).toEqual([]);
  });

  it('joins ingested files even if more files than a round covers still wait', async () => {
    for (const run of ['a', 'b', 'c', 'd', 'e']) await completeFile(run);
    const last = await completeFile('f');
    await ingestRunOf(last);
    const own = janitor({ maxFiles: 2 });
    await rounds(3, own);
    expect(joined).toEqual([last]);
    await world.ingest(tenant);
    await rounds(5, own);
    expect(joined).toHaveLength(6);
    expect(errors).toEqual([]);
  });

  it('joins the files of all workspaces, in any order of creation', async () => {
    const other = await world.tenant();
    const owners = [
      { tenant, experimentId },
      { tenant: other, experimentId: await world.experiment(other) },
    ].sort((a, b) => (a.tenant.tenantId < b.tenant.tenantId ? 1 : -1));
    const files = [await completeFile('first', owners[0]), await completeFile('second', owners[1])];
    for (const owner of owners) await world.ingest(owner.tenant);
    await rounds(2, janitor({ maxFiles: 1 }));
    expect(joined).toEqual(files.toReversed()); // the files of the workspace with the smaller id were created last
    expect(errors).toEqual([]);
  });

  it('retries a file that could not be joined, and joins the others meanwhile', async () => {
    const files = [await completeFile('a'), await completeFile('b')];
    await world.ingest(tenant);
    const storeDown = new Error('the object store is down');
    let failed = false;
    const own = janitor({}, async (file) => {
      if (file.fileId === files[0] && !failed) {
        failed = true;
        throw storeDown;
      }
      await join(file);
    });
    await own.round();
    expect(joined).toEqual([files[1]]);
    expect(errors).toEqual([storeDown]);
    await own.round();
    expect(joined).toEqual([files[1], files[0]]);
  });

  it('waits until a file has been complete for some time', async () => {
    const fileId = await completeFile('a');
    await world.ingest(tenant);
    await janitor({ completeForMs: 3_600_000 }).round();
    expect(joined).toEqual([]);
    await janitor().round();
    expect(joined).toEqual([fileId]);
    expect(errors).toEqual([]);
  });
});
