import type { BlobStore, StoredObject } from '#blobs';
import { countRemoved, takeObjectsToDelete } from '#store';
import { deleteUnreferred } from './delete-unreferred.ts';
import type { DeletionPlace } from './remove-run-rows.ts';

/**
 * Removes the objects on a deletion's list, and counts their bytes. Checks each again: blobs and
 * tensors are addressed by content, so another row may refer to the same object; then the object
 * stays. An object is removed from the store before it is removed from the list.
 */
export async function removeObjects(
  { store, tenantId, deletionId, rowsAtOnce, onProgress }: DeletionPlace,
  blobs: BlobStore,
): Promise<void> {
  for (let taken = rowsAtOnce; taken === rowsAtOnce;) {
    taken = await store.withIngest(tenantId, async (ingest) => {
      const listed = await takeObjectsToDelete(ingest, deletionId, rowsAtOnce);
      if (listed.length === 0) return 0;
      const candidates = listed.map(({ objectKey, bytes }) => ({ key: objectKey, bytes }));
      await countRemoved(ingest, deletionId, await deleteUnreferred(ingest, blobs, candidates));
      return listed.length;
    });
    await onProgress();
  }
}

/**
 * Removes all objects of a workspace that no row refers to, on the list or not: including objects
 * of writers that died or were still writing.
 */
export async function removeEveryObject(place: DeletionPlace, blobs: BlobStore): Promise<void> {
  const { store, tenantId, deletionId, rowsAtOnce, onProgress } = place;
  let found: StoredObject[] = [];
  const remove = async (): Promise<void> => {
    const candidates = found;
    found = [];
    if (candidates.length === 0) return;
    await store.withIngest(tenantId, async (ingest) => countRemoved(ingest, deletionId, await deleteUnreferred(ingest, blobs, candidates)));
    await onProgress();
  };
  for await (const object of blobs.list(tenantId, '')) {
    if (found.push(object) === rowsAtOnce) await remove();
  }
  await remove();
}
