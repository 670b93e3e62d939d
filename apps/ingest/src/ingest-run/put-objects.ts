import type { BlobStore } from '#blobs';
import type { TenantId } from '#model';

/** Maximum concurrent writes: a remote store adds latency to each object, however small it is. */
const atOnce = 8;

/**
 * Writes objects by key. Resolves when all objects are durable. If a write fails, throws the first
 * error and starts no more writes.
 */
export async function putObjects(blobs: BlobStore, tenantId: TenantId, objects: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const left = [...objects];
  const putSome = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) {
      try {
        await blobs.put(tenantId, ...next);
      } catch (error) {
        left.length = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, objects.size) }, putSome));
}
