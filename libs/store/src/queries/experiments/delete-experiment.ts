import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * Sets the tombstone: from now on, nobody can see the experiment, and workers skip its runs. Rows
 * and objects are removed later, in the background. Pending work is removed from the ledger, so
 * that it is not offered to workers forever. Returns false if there is no such experiment.
 */
export async function deleteExperiment({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<boolean> {
  const row = await trx
    .updateTable('experiment')
    .set({ deleted_at: sql<Date>`now()` })
    .where('tenant_id', '=', tenantId)
    .where('experiment_id', '=', experimentId)
    .where('deleted_at', 'is', null)
    .returning('experiment_id')
    .modifyEnd(sql`/* delete-experiment */`)
    .executeTakeFirst();
  if (!row) return false;
  await trx
    .deleteFrom('pending_segment')
    .where('tenant_id', '=', tenantId)
    .where('experiment_id', '=', experimentId)
    .modifyEnd(sql`/* delete-experiment-pending-segment */`)
    .execute();
  return true;
}
