import type { BlobStore, StoredObject } from '#blobs';
import type { TenantId } from '#model';
import { collectSnapshots } from '#snapshots';
import { readReferredObjects, type Store } from '#store';
import { deleteUnreferred } from './delete-unreferred.ts';

/** The result of a collection. `bytes`: size of the removed objects. */
export interface OrphanCount {
  readonly seen: number;
  readonly removed: number;
  readonly bytes: number;
}

const objectsPerLook = 1_000;
/** A snapshot that has not finished after this time never will, so its chunks are removed. */
const pendingExpirySeconds = 86_400;

/**
 * Removes objects that are older than the grace period and to which no row refers. They are left
 * over from writers that died between writing the object and the row.
 *
 * This is safe because the keys of segments and originals name a single attempt, and the grace
 * period is longer than any attempt. So an old object without a reference never gets a reference.
 * {@link deleteUnreferred} handles blobs and tensors, which can be put again.
 */
export async function collectOrphans(store: Store, blobs: BlobStore, graceMs: number): Promise<OrphanCount> {
  // Uses the store's clock: if our clock were ahead, objects that are about to get a reference
  // would look old.
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
  const withSnapshots = new Set<TenantId>();
  for await (const object of blobs.list(null, '')) {
    total.seen++;
    if (object.key.startsWith('snapshot/')) withSnapshots.add(object.tenantId);
    if (object.modifiedAt.getTime() >= before) continue;
    // Stores list objects by tenant, so groups are almost always full.
    if (old.length === objectsPerLook || (old[0] && old[0].tenantId !== object.tenantId)) await look();
    old.push(object);
  }
  await look();
  const now = async (): Promise<number> => (await blobs.now()).getTime();
  for (const tenantId of withSnapshots) total.removed += await collectSnapshots({ blobs, tenantId, now, pendingExpirySeconds });
  return total;
}

/**
 * First checks without the lock, which almost always finds a reference to every object. Only
 * objects without a reference are checked again under the lock.
 */
async function removeUnreferred(
  store: Store,
  blobs: BlobStore,
  tenantId: TenantId,
  objects: readonly StoredObject[],
): Promise<{ readonly objects: number; readonly bytes: number }> {
  const keys = objects.map(({ key }) => key);
  const referred = await store.withIngest(tenantId, (ingest) => readReferredObjects(ingest, keys));
  const suspects = objects.filter(({ key }) => !referred.has(key));
  if (suspects.length === 0) return { objects: 0, bytes: 0 };
  return store.withIngest(tenantId, (ingest) => deleteUnreferred(ingest, blobs, suspects));
}
