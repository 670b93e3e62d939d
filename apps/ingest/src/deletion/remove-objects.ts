import type { BlobStore, StoredObject } from '#blobs';
import { countRemoved, takeObjectsToDelete } from '#store';
import { deleteUnreferred } from './delete-unreferred.ts';
import type { DeletionPlace } from './remove-run-rows.ts';

/**
 * Removes the objects on a deletion's list, and counts their bytes. Checks each object again: blobs
 * and tensors are addressed by content, so if another row refers to the same object, it stays. Each
 * object is removed first from the store, then from the list.
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
 * Removes all of a workspace's objects to which no row refers, whether or not they are on a
 * deletion's list. This includes objects of writers that died or were still writing.
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
