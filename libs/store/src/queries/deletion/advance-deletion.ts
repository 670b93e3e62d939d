import { sql } from 'kysely';
import type { RunId } from '#model';
import { type Deletion, deletionColumns, type DeletionCounts, type DeletionRow, toDeletion } from './read-deletions.ts';
import type { TenantScope, AnyScope } from '../../scope.ts';

/** A deletion as claimed by a worker. */
export type ClaimedDeletion = Omit<Deletion, 'objectsLeft'>;

/**
 * Claims an unfinished deletion for `leaseMs`; null if it is finished, or another worker has it.
 * The lease only avoids duplicate work: if two workers run the same deletion anyway, each step
 * still happens once.
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
 * Extends the lease of a claimed deletion by `leaseMs`; 0 releases it, e.g. because it waits for
 * something.
 */
export async function renewDeletion({ trx, tenantId }: TenantScope, deletionId: string, leaseMs: number): Promise<void> {
  await sql`/* renew-deletion */ update deletion set worker_until = now() + make_interval(secs => ${leaseMs / 1000})
    where tenant_id = ${tenantId} and deletion_id = ${deletionId}`.execute(trx);
}

/** Adds what the transaction removes to the deletion's counts. */
export async function countRemoved({ trx, tenantId }: AnyScope, deletionId: string, removed: Partial<DeletionCounts>): Promise<void> {
  const { runs = 0, files = 0, series = 0, points = 0, objects = 0, bytes = 0 } = removed;
  if (runs + files + series + points + objects + bytes === 0) return;
  await sql`/* count-removed */
    update deletion set runs = runs + ${runs}, files = files + ${files}, series = series + ${series}, points = points + ${points},
      objects = objects + ${objects}, bytes = bytes + ${bytes}
    where tenant_id = ${tenantId} and deletion_id = ${deletionId}`.execute(trx);
}

/** Counts a file that is kept without the deleted points. */
export async function countRewritten({ trx, tenantId }: TenantScope, deletionId: string, bytes: number): Promise<void> {
  await sql`/* count-rewritten */ update deletion set rewritten_files = rewritten_files + 1, rewritten_bytes = rewritten_bytes + ${bytes}
    where tenant_id = ${tenantId} and deletion_id = ${deletionId}`.execute(trx);
}

/** Removes a run from the list of runs still to be processed. */
export async function leaveRun({ trx, tenantId }: TenantScope, deletionId: string, runId: RunId): Promise<void> {
  await sql`/* leave-run */ update deletion set run_ids = array_remove(run_ids, ${runId}::bigint)
    where tenant_id = ${tenantId} and deletion_id = ${deletionId}`.execute(trx);
}

/** Marks the deletion as finished: nothing is left to delete. */
export async function finishDeletion({ trx, tenantId }: TenantScope, deletionId: string): Promise<void> {
  await sql`/* finish-deletion */ update deletion set finished_at = now(), last_error = null
    where tenant_id = ${tenantId} and deletion_id = ${deletionId} and finished_at is null`.execute(trx);
}

/**
 * Records a failure, for operators who look at the table; the deletion is retried after `retryMs`.
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
