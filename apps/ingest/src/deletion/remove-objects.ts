import type { BlobStore } from '#blobs';
import { countRemoved, lockContentObjects, readReferredObjects, takeObjectsToDelete } from '#store';
import { failpoint } from '#telemetry';
import type { DeletionPlace } from './remove-run-rows.ts';

const deletesAtOnce = 16;

/**
 * Removes the objects that a deletion has put on its list, and counts their bytes. Each is looked up once more: blobs and tensors are found by their
 * content, so another row may refer to the same object; it stays then. An object is gone before it is off the list.
 */
export async function removeObjects(
  { store, tenantId, deletionId, rowsAtOnce, onProgress }: DeletionPlace,
  blobs: BlobStore,
): Promise<void> {
  for (let taken = rowsAtOnce; taken === rowsAtOnce;) {
    taken = await store.withIngest(async ({ trx }) => {
      const objects = await takeObjectsToDelete(trx, tenantId, deletionId, rowsAtOnce);
      if (objects.length === 0) return 0;
      await lockContentObjects(trx, tenantId);
      const keys = objects.map(({ objectKey }) => objectKey);
      const referred = await readReferredObjects(trx, tenantId, keys);
      const free = objects.filter(({ objectKey }) => !referred.has(objectKey));
      let bytes = 0;
      for (let at = 0; at < free.length; at += deletesAtOnce) {
        const sizes = free.slice(at, at + deletesAtOnce).map(async ({ objectKey, bytes: known }) => {
          const size = known > 0 ? known : ((await blobs.has(tenantId, objectKey)) ?? 0);
          await failpoint('before-delete-object');
          await blobs.delete(tenantId, objectKey);
          return size;
        });
        bytes += (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      }
      await countRemoved(trx, tenantId, deletionId, { objects: free.length, bytes });
      return objects.length;
    });
    await onProgress();
  }
}
