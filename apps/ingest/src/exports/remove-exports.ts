import type { BlobStore } from '#blobs';
import type { TenantId } from '#model';
import { fingerprintOfKey } from '#snapshots';
import { readReferredSnapshots, removeExpiredExports, type Store } from '#store';

const rowsAtOnce = 100;
const objectsAtOnce = 1_000;

/**
 * Removes the expired exports of a workspace, and the snapshots in the object store to which no
 * export refers any longer. A worker that is still writing such an export has lost its row and
 * stops. Returns the number of removed objects.
 */
export async function removeExports(store: Store, blobs: BlobStore, tenantId: TenantId): Promise<number> {
  while ((await store.withIngest(tenantId, (ingest) => removeExpiredExports(ingest, rowsAtOnce))) === rowsAtOnce);
  let removed = 0;
  let found: { key: string; fingerprint: string }[] = [];
  const remove = async (): Promise<void> => {
    if (found.length === 0) return;
    const fingerprints = [...new Set(found.map(({ fingerprint }) => fingerprint))];
    const referred = await store.withIngest(tenantId, (ingest) => readReferredSnapshots(ingest, fingerprints));
    for (const { key, fingerprint } of found) {
      if (referred.has(fingerprint)) continue;
      await blobs.delete(tenantId, key);
      removed++;
    }
    found = [];
  };
  for await (const { key } of blobs.list(tenantId, 'snapshot/')) {
    const fingerprint = fingerprintOfKey(key);
    if (fingerprint !== null && found.push({ key, fingerprint }) === objectsAtOnce) await remove();
  }
  await remove();
  return removed;
}
