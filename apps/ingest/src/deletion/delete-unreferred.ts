import type { BlobStore } from '#blobs';
import { lockContentObjects, readReferredObjects, type TenantTransaction } from '#store';
import { failpoint } from '#telemetry';

/** An object that may go. `bytes`: 0 where only the store knows. */
export interface Candidate {
  readonly key: string;
  readonly bytes: number;
}

const deletesAtOnce = 16;

/**
 * Deletes those of the objects that no row refers to; how many, and their bytes. Blobs and tensors may be put again at any time, by content; who does
 * so holds a lock from the put until the row is committed, and here the same lock is held alone from the look until the object is gone.
 *
 * The lock ends with its connection, which Postgres cuts when nothing is said for half a minute, and a slow store needs longer for a thousand objects.
 * So it is asked for again before each group: that says something, and fails when the lock was lost. A group has two requests, one after the other.
 */
export async function deleteUnreferred(
  trx: TenantTransaction,
  blobs: BlobStore,
  tenantId: string,
  candidates: readonly Candidate[],
): Promise<{ readonly objects: number; readonly bytes: number }> {
  await lockContentObjects(trx, tenantId);
  const referred = await readReferredObjects(
    trx,
    tenantId,
    candidates.map(({ key }) => key),
  );
  const free = candidates.filter(({ key }) => !referred.has(key));
  let bytes = 0;
  for (let at = 0; at < free.length; at += deletesAtOnce) {
    if (at > 0) await lockContentObjects(trx, tenantId);
    const sizes = free.slice(at, at + deletesAtOnce).map(async ({ key, bytes: known }) => {
      const size = known > 0 ? known : ((await blobs.has(tenantId, key)) ?? 0);
      await failpoint('before-delete-object');
      await blobs.delete(tenantId, key);
      return size;
    });
    bytes += (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }
  return { objects: free.length, bytes };
}
