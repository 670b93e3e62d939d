import { sql } from 'kysely';
import { type Deletion, deletionColumns, type DeletionRow, toDeletion } from './read-deletions.ts';
import type { TenantScope } from '../../scope.ts';

/** A deletion that a worker has claimed. */
export type ClaimedDeletion = Omit<Deletion, 'objectsLeft'>;

/**
 * Claims an unfinished deletion for `leaseMs`. Returns null if it is finished or if another worker
 * has claimed it. The lease only avoids duplicate work: even if two workers run the same deletion,
 * each step happens once.
 */
export async function claimDeletion({ trx, tenantId }: TenantScope, deletionId: string, leaseMs: number): Promise<ClaimedDeletion | null> {
  await sql`/* claim-deletion */ update deletion set started_at = now() where tenant_id = ${tenantId} and deletion_id = ${deletionId}
    and started_at is null and finished_at is null and worker_until <= now()`.execute(trx);
  const { rows } = await sql<DeletionRow>`
    /* claim-deletion-deletion */
    update deletion d set worker_until = now() + make_interval(secs => ${leaseMs / 1000})
    where d.tenant_id = ${tenantId} and d.deletion_id = ${deletionId} and d.finished_at is null and d.worker_until <= now()
    returning ${deletionColumns}`.execute(trx);
  return rows[0] ? toDeletion(rows[0]) : null;
}

/**
 * Extends the lease of a claimed deletion by `leaseMs`. 0 releases it, e.g. because the deletion
 * waits for something.
 */
export async function renewDeletion({ trx, tenantId }: TenantScope, deletionId: string, leaseMs: number): Promise<void> {
  await sql`/* renew-deletion */ update deletion set worker_until = now() + make_interval(secs => ${leaseMs / 1000})
    where tenant_id = ${tenantId} and deletion_id = ${deletionId}`.execute(trx);
}
