import type { BlobStore, StoredObject } from '#blobs';
import { lockContentObjects, readReferredObjects, type Store } from '#store';
import { failpoint } from '#telemetry';

/** What a collection has done. `bytes`: of what was removed. */
export interface OrphanCount {
  readonly seen: number;
  readonly removed: number;
  readonly bytes: number;
}

const objectsPerLook = 1_000;
const deletesAtOnce = 16;

/**
 * Removes objects that no row refers to and that are older than the grace period: what writers left that died between object and row.
 *
 * What makes it safe: segments and originals have the name of one attempt in their keys, so an old one that is not referred to never will be (the
 * grace period is longer than any attempt). Blobs and tensors may be put again at any time, by content; who does so holds a lock from the put until
 * the row is committed, and here the same lock is held alone from the look until the object is gone.
 */
export async function collectOrphans(store: Store, blobs: BlobStore, graceMs: number): Promise<OrphanCount> {
  // By the store's clock: by ours, if it were ahead, what somebody is about to refer to would be old.
  const before = (await blobs.now()).getTime() - graceMs;
  const total = { seen: 0, removed: 0, bytes: 0 };
  const waiting = new Map<string, StoredObject[]>();
  const look = async (tenantId: string): Promise<void> => {
    const removed = await removeUnreferred(store, blobs, tenantId, waiting.get(tenantId)!);
    waiting.delete(tenantId);
    total.removed += removed.length;
    total.bytes += removed.reduce((sum, { bytes }) => sum + bytes, 0);
  };
  for await (const object of blobs.list(null, '')) {
    total.seen++;
    if (object.modifiedAt.getTime() >= before) continue;
    const old = waiting.get(object.tenantId) ?? [];
    waiting.set(object.tenantId, old);
    old.push(object);
    if (old.length === objectsPerLook) await look(object.tenantId);
  }
  for (const tenantId of waiting.keys()) await look(tenantId);
  return total;
}

/** First a look without the lock, which nearly always finds everything referred to; only what is not is looked at again under it. */
async function removeUnreferred(
  store: Store,
  blobs: BlobStore,
  tenantId: string,
  objects: readonly StoredObject[],
): Promise<StoredObject[]> {
  const keys = objects.map(({ key }) => key);
  const referred = await store.withIngest(({ trx }) => readReferredObjects(trx, tenantId, keys));
  const suspects = objects.filter(({ key }) => !referred.has(key));
  if (suspects.length === 0) return [];
  return store.withIngest(async ({ trx }) => {
    await lockContentObjects(trx, tenantId);
    const still = await readReferredObjects(
      trx,
      tenantId,
      suspects.map(({ key }) => key),
    );
    const orphans = suspects.filter(({ key }) => !still.has(key));
    for (let at = 0; at < orphans.length; at += deletesAtOnce) {
      await Promise.all(
        orphans.slice(at, at + deletesAtOnce).map(async ({ key }) => {
          await failpoint('before-delete-object');
          await blobs.delete(tenantId, key);
        }),
      );
    }
    return orphans;
  });
}
