import { sql } from 'kysely';
import type { ExperimentId, RunId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** An experiment's runs with points in their tails. */
export async function readLiveRunIds({ trx, tenantId }: TenantScope, experimentId: ExperimentId): Promise<RunId[]> {
  const { rows } = await sql<{ run_id: RunId }>`
    /* read-live-run-ids */
    select r.run_id from run r
    where r.tenant_id = ${tenantId} and r.experiment_id = ${experimentId} and r.deleted_at is null
      and exists (select from run_tail t where t.tenant_id = ${tenantId} and t.run_id = r.run_id)`.execute(trx);
  return rows.map((row) => row.run_id);
}
