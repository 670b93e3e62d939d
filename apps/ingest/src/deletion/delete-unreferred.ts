import type { BlobStore } from '#blobs';
import { lockContentObjects, readReferredObjects, type IngestScope } from '#store';
import { failpoint } from '#telemetry';

/** An object that may be deleted. `bytes`: 0 if the size is not known here. */
export interface Candidate {
  readonly key: string;
  readonly bytes: number;
}

const deletesAtOnce = 16;

/**
 * Deletes the objects to which no row refers. Returns their number and size. Blobs and tensors are
 * addressed by content, so a writer may put the same object again at any time. A writer holds a
 * shared lock from the put until the row is committed. This function holds the same lock
 * exclusively from the check until the object is deleted.
 *
 * The lock ends with its connection. Postgres closes the connection after it is silent for half a
 * minute, and a slow store needs longer for a thousand objects. So the lock is requested again
 * before each group: this keeps the connection active, and fails if the lock was lost. Each group
 * takes two consecutive requests.
 */
export async function deleteUnreferred(
  ingest: IngestScope,
  blobs: BlobStore,
  candidates: readonly Candidate[],
): Promise<{ readonly objects: number; readonly bytes: number }> {
  const { tenantId } = ingest;
  await lockContentObjects(ingest);
  const referred = await readReferredObjects(
    ingest,
    candidates.map(({ key }) => key),
  );
  const free = candidates.filter(({ key }) => !referred.has(key));
  let bytes = 0;
  for (let at = 0; at < free.length; at += deletesAtOnce) {
    if (at > 0) await lockContentObjects(ingest);
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
