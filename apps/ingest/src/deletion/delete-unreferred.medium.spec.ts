import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blobKey } from '#blobs';
import { MemoryBlobStore } from '#blobs/testing';
import type { TenantId } from '#model';
import { tenantIdOf } from '#model/testing';
import { type IngestScope, Store } from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { deleteUnreferred } from './delete-unreferred.ts';

/** Calls `onFirstDelete` when the first object is deleted. */
class WatchedBlobStore extends MemoryBlobStore {
  onFirstDelete: () => Promise<void> = async () => undefined;

  override async delete(tenantId: TenantId, key: string): Promise<void> {
    const callback = this.onFirstDelete;
    this.onFirstDelete = async () => undefined;
    await callback();
    await super.delete(tenantId, key);
  }
}

describeWith(['postgres'], 'objects without a row', () => {
  const tenantId = tenantIdOf(randomUUID());
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  async function orphans(blobs: MemoryBlobStore): Promise<{ key: string; bytes: number }[]> {
    const keys = Array.from({ length: 100 }, (_, i) => blobKey(createHash('sha256').update(String(i)).digest()));
    for (const [i, key] of keys.entries()) await blobs.put(tenantId, key, Buffer.from(String(i)));
    return keys.map((key) => ({ key, bytes: 0 }));
  }

  it('are deleted and counted with the bytes that the store reports', async () => {
    const blobs = new WatchedBlobStore();
    const candidates = await orphans(blobs);
    expect(await store.withIngest(tenantId, (ingest) => deleteUnreferred(ingest, blobs, candidates))).toEqual({ objects: 100, bytes: 190 });
    expect(blobs.objects.size).toBe(0);
  });

  it('stay if the lock is lost, since another worker may be writing them again', async () => {
    const blobs = new WatchedBlobStore();
    const candidates = await orphans(blobs);
    const other = new Store(database);
    try {
      const deleted = store.withIngest(tenantId, async (ingest) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(ingest.trx);
        // Postgres does the same to a connection that has been idle for too long.
        blobs.onFirstDelete = () => other.withIngest(tenantId, (scope) => end(scope, rows[0]!.pid));
        return deleteUnreferred(ingest, blobs, candidates);
      });
      await expect(deleted).rejects.toMatchObject({ code: 'store-unavailable' });
    } finally {
      await other.close();
    }
    expect(blobs.objects.size).toBe(84); // the loss could not be noticed during the first group
  });

  async function end({ trx }: IngestScope, pid: number): Promise<void> {
    const { rows } = await sql<{ ended: boolean }>`select pg_terminate_backend(${pid}::integer, 5000) as ended`.execute(trx);
    expect(rows).toEqual([{ ended: true }]);
  }
});
