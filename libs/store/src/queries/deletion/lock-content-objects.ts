import { sql } from 'kysely';
import type { IngestScope, AnyScope } from '../../scope.ts';

/**
 * Blobs and tensors are addressed by content, so many rows can refer to one object, and a worker
 * that finds an object reuses it. Code that puts an object holds this lock from before the put
 * until the row that refers to the object is committed; see {@link lockContentObjects}. The lock is
 * on the node that we connect to, because all workers use the coordinator.
 */
export async function shareContentObjects({ trx, tenantId }: AnyScope): Promise<void> {
  await sql`/* share-content-objects */ select pg_advisory_xact_lock_shared(hashtextextended(${tenantId}, 20))`.execute(trx);
}

/**
 * Code that removes an object holds this lock from the check for references until the object is
 * removed. No object is put during this time.
 */
export async function lockContentObjects({ trx, tenantId }: IngestScope): Promise<void> {
  await sql`/* lock-content-objects */ select pg_advisory_xact_lock(hashtextextended(${tenantId}, 20))`.execute(trx);
}
