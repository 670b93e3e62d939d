import { sql } from 'kysely';
import type { ExperimentId, RunId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** At most `limit` runs in an experiment, deleted or not. */
export async function listRunIds({ trx, tenantId }: TenantScope, experimentId: ExperimentId, limit: number): Promise<RunId[]> {
  const { rows } = await sql<{ run_id: RunId }>`
    /* list-run-ids */
    select run_id from run where tenant_id = ${tenantId} and experiment_id = ${experimentId} order by run_id limit ${limit}`.execute(trx);
  return rows.map((row) => row.run_id);
}
