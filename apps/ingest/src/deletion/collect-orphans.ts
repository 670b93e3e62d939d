import type { BlobStore, StoredObject } from '#blobs';
import { readReferredObjects, type Store } from '#store';
import { deleteUnreferred } from './delete-unreferred.ts';

/** What a collection has done. `bytes`: of what was removed. */
export interface OrphanCount {
  readonly seen: number;
  readonly removed: number;
  readonly bytes: number;
}

const objectsPerLook = 1_000;

/**
 * Removes objects that no row refers to and that are older than the grace period: what writers left that died between object and row.
 *
 * What makes it safe: segments and originals have the name of one attempt in their keys, so an old one that is not referred to never will be (the
 * grace period is longer than any attempt). Of blobs and tensors, which can be put again, {@link deleteUnreferred} takes care.
 */
export async function collectOrphans(store: Store, blobs: BlobStore, graceMs: number): Promise<OrphanCount> {
  // By the store's clock: by ours, if it were ahead, what somebody is about to refer to would be old.
  const before = (await blobs.now()).getTime() - graceMs;
  const total = { seen: 0, removed: 0, bytes: 0 };
  let old: StoredObject[] = [];
  const look = async (): Promise<void> => {
    const [first] = old;
    if (!first) return;
    const gone = await removeUnreferred(store, blobs, first.tenantId, old);
    old = [];
    total.removed += gone.objects;
    total.bytes += gone.bytes;
  };
  for await (const object of blobs.list(null, '')) {
    total.seen++;
    if (object.modifiedAt.getTime() >= before) continue;
    // Stores list tenant by tenant, so that a look is nearly always a full one.
    if (old.length === objectsPerLook || (old[0] && old[0].tenantId !== object.tenantId)) await look();
    old.push(object);
  }
  await look();
  return total;
}

/** First a look without the lock, which nearly always finds everything referred to; only what is not is looked at again under it. */
async function removeUnreferred(
  store: Store,
  blobs: BlobStore,
  tenantId: string,
  objects: readonly StoredObject[],
): Promise<{ readonly objects: number; readonly bytes: number }> {
  const keys = objects.map(({ key }) => key);
  const referred = await store.withIngest(({ trx }) => readReferredObjects(trx, tenantId, keys));
  const suspects = objects.filter(({ key }) => !referred.has(key));
  if (suspects.length === 0) return { objects: 0, bytes: 0 };
  return store.withIngest(({ trx }) => deleteUnreferred(trx, blobs, tenantId, suspects));
}
