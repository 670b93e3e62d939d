import type { BlobStore } from '#blobs';

/** Objects that are under way at once: a store far away takes its time for each, whatever its size. */
const atOnce = 8;

/** Writes objects, by key; resolves when all are durable. Fails with the first failure, and begins no other after it. */
export async function putObjects(blobs: BlobStore, tenantId: string, objects: ReadonlyMap<string, Uint8Array>): Promise<void> {
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
