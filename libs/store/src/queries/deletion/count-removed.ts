import { sql } from 'kysely';
import type { RunId } from '#model';
import type { DeletionCounts } from './read-deletions.ts';
import type { TenantScope, AnyScope } from '../../scope.ts';

/** Adds the data that the transaction removes to the deletion's counts. */
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

/** Removes a run from the list of runs that remain to be processed. */
export async function leaveRun({ trx, tenantId }: TenantScope, deletionId: string, runId: RunId): Promise<void> {
  await sql`/* leave-run */ update deletion set run_ids = array_remove(run_ids, ${runId}::bigint)
    where tenant_id = ${tenantId} and deletion_id = ${deletionId}`.execute(trx);
}
