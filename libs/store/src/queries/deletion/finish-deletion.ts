import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';

/** Marks the deletion as finished, with nothing left to delete. */
export async function finishDeletion({ trx, tenantId }: TenantScope, deletionId: string): Promise<void> {
  await sql`/* finish-deletion */ update deletion set finished_at = now(), last_error = null
    where tenant_id = ${tenantId} and deletion_id = ${deletionId} and finished_at is null`.execute(trx);
}

/**
 * Records a failure for operators who look at the table. The deletion is retried after `retryMs`.
 */
export async function noteDeletionFailure(
  { trx, tenantId }: TenantScope,
  deletionId: string,
  message: string,
  retryMs: number,
): Promise<void> {
  await sql`/* note-deletion-failure */
    update deletion set last_error = ${message}, worker_until = now() + make_interval(secs => ${retryMs / 1000})
    where tenant_id = ${tenantId} and deletion_id = ${deletionId}`.execute(trx);
}
