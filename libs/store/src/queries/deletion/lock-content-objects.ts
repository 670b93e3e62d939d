import { sql } from 'kysely';
import type { IngestScope, AnyScope } from '../../scope.ts';

/**
 * Blobs and tensors are addressed by content, so many rows can refer to one object, and a worker
 * that finds an object reuses it. Code that puts an object holds this lock from before the put
 * until the row that refers to it is committed; see {@link lockContentObjects}. The node that we
 * connect to has the lock: all workers use the coordinator.
 */
export async function shareContentObjects({ trx, tenantId }: AnyScope): Promise<void> {
  await sql`/* share-content-objects */ select pg_advisory_xact_lock_shared(hashtextextended(${tenantId}, 20))`.execute(trx);
}

/**
 * Code that removes an object holds this lock while it checks for references, and until the object
 * is removed, so no object is put during this time.
 */
export async function lockContentObjects({ trx, tenantId }: IngestScope): Promise<void> {
  await sql`/* lock-content-objects */ select pg_advisory_xact_lock(hashtextextended(${tenantId}, 20))`.execute(trx);
}
