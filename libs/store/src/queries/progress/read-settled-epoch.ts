import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/**
 * An experiment's epoch if everything acknowledged is visible. Null while anything is pending. At a
 * settled epoch, points never change, except that a deletion may remove some.
 */
export async function readSettledEpoch({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<number | null> {
  const { rows } = await sql<{ epoch: string }>`/* prepared: read-settled-epoch */
    select a.acknowledged_epoch as epoch
    from experiment_epoch a
    join progress_view v on v.tenant_id = ${tenantId} and v.experiment_id = a.experiment_id and v.published_epoch = a.acknowledged_epoch
    where a.tenant_id = ${tenantId} and a.experiment_id = ${experimentId}`.execute(trx);
  return rows[0] ? Number(rows[0].epoch) : null;
}
