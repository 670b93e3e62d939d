import { sql } from 'kysely';
import type { ExperimentId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** At most `limit` experiments in a workspace, deleted or not. */
export async function listExperimentIds({ trx, tenantId }: TenantScope, limit: number): Promise<ExperimentId[]> {
  const { rows } = await sql<{ experiment_id: ExperimentId }>`
    /* list-experiment-ids */
    select experiment_id from experiment where tenant_id = ${tenantId} order by experiment_id limit ${limit}`.execute(trx);
  return rows.map((row) => row.experiment_id);
}
