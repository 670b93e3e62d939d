import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { ExperimentId, RunId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** The worker name of batches that request a recount. */
export const rebuildWorker = 'rebuild';

/**
 * Removes pending segments without reading them. If there were any, requests that the publisher
 * recount from the ledger. Each request is a separate row, because an earlier request may be
 * processed before this transaction commits.
 */
export async function dropPendingSegments(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  runIds: readonly RunId[],
): Promise<void> {
  await sql`/* drop-pending-segments */ with dropped as (
      delete from pending_segment
      where tenant_id = ${tenantId} and experiment_id = ${experimentId} and run_id = any(${[...runIds]}::bigint[]) returning 1)
    insert into progress_batch (tenant_id, experiment_id, worker, number, changes)
    select ${tenantId}::uuid, ${experimentId}::text, ${rebuildWorker}::text, ${randomInt(1, 2 ** 47)}::bigint, '[]'::json
    where exists (select from dropped)
    returning 1`.execute(trx);
}
