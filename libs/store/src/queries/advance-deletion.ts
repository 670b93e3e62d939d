import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';
import { type Deletion, deletionColumns, type DeletionCounts, type DeletionRow, toDeletion } from './read-deletions.ts';

/** A deletion as a worker takes it. */
export type ClaimedDeletion = Omit<Deletion, 'objectsLeft'>;

/**
 * Takes an unfinished deletion for `leaseMs`; null when it is finished, or another worker has it. The lease only saves double work: should two
 * workers be on one deletion all the same, each step is still done once.
 */
export async function claimDeletion(
  trx: Kysely<Database>,
  tenantId: string,
  deletionId: string,
  leaseMs: number,
): Promise<ClaimedDeletion | null> {
  const { rows } = await sql<DeletionRow>`
    update deletion d set worker_until = now() + make_interval(secs => ${leaseMs / 1000}), started_at = coalesce(d.started_at, now())
    where d.tenant_id = ${tenantId} and d.deletion_id = ${deletionId} and d.finished_at is null and d.worker_until <= now()
    returning ${deletionColumns}`.execute(trx);
  return rows[0] ? toDeletion(rows[0]) : null;
}

/** Keeps a claimed deletion for another `leaseMs`; 0 gives it back, e.g. because it waits for something. */
export async function renewDeletion(trx: Kysely<Database>, tenantId: string, deletionId: string, leaseMs: number): Promise<void> {
  await sql`update deletion set worker_until = now() + make_interval(secs => ${leaseMs / 1000})
    where tenant_id = ${tenantId} and deletion_id = ${deletionId}`.execute(trx);
}

/** Counts what the transaction removes. */
export async function countRemoved(
  trx: Kysely<Database>,
  tenantId: string,
  deletionId: string,
  removed: Partial<DeletionCounts>,
): Promise<void> {
  const { runs = 0, files = 0, series = 0, points = 0, objects = 0, bytes = 0 } = removed;
  if (runs + files + series + points + objects + bytes === 0) return;
  await sql`update deletion set runs = runs + ${runs}, files = files + ${files}, series = series + ${series}, points = points + ${points},
      objects = objects + ${objects}, bytes = bytes + ${bytes}
    where tenant_id = ${tenantId} and deletion_id = ${deletionId}`.execute(trx);
}

/** Counts a file that is kept without the deleted points. */
export async function countRewritten(trx: Kysely<Database>, tenantId: string, deletionId: string, bytes: number): Promise<void> {
  await sql`update deletion set rewritten_files = rewritten_files + 1, rewritten_bytes = rewritten_bytes + ${bytes}
    where tenant_id = ${tenantId} and deletion_id = ${deletionId}`.execute(trx);
}

/** Takes a run from the list of those that still have to be worked on. */
export async function leaveRun(trx: Kysely<Database>, tenantId: string, deletionId: string, runId: string): Promise<void> {
  await sql`update deletion set run_ids = array_remove(run_ids, ${runId}::bigint)
    where tenant_id = ${tenantId} and deletion_id = ${deletionId}`.execute(trx);
}

/** Nothing is left of what was to be deleted. */
export async function finishDeletion(trx: Kysely<Database>, tenantId: string, deletionId: string): Promise<void> {
  await sql`update deletion set finished_at = now(), last_error = null
    where tenant_id = ${tenantId} and deletion_id = ${deletionId} and finished_at is null`.execute(trx);
}

/** Keeps what went wrong, for people who look at the table; it is tried again after `retryMs`. */
export async function noteDeletionFailure(
  trx: Kysely<Database>,
  tenantId: string,
  deletionId: string,
  message: string,
  retryMs: number,
): Promise<void> {
  await sql`update deletion set last_error = ${message}, worker_until = now() + make_interval(secs => ${retryMs / 1000})
    where tenant_id = ${tenantId} and deletion_id = ${deletionId}`.execute(trx);
}
