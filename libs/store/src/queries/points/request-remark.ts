import { sql } from 'kysely';
import type { ExperimentId, RunId } from '#model';
import type { IngestScope, OperatorScope } from '../../scope.ts';

/**
 * Requests that the data rules be reapplied to every point of one run or, if null, of all the
 * experiment's runs. Returns the runs.
 */
export async function requestRemark(
  { trx, tenantId }: OperatorScope,
  experimentId: ExperimentId,
  runId: RunId | null = null,
): Promise<RunId[]> {
  const { rows } = await sql<{ run_id: RunId }>`/* request-remark */ update run_work w set remark = true, retry_at = least(retry_at, now())
    from experiment e
    where w.tenant_id = ${tenantId} and w.experiment_id = ${experimentId} and (${runId}::bigint is null or w.run_id = ${runId}::bigint)
      and e.tenant_id = ${tenantId} and e.experiment_id = w.experiment_id and e.deleted_at is null and e.snapshot_of is null
    returning w.run_id`.execute(trx);
  return rows.map((row) => row.run_id);
}

/** Records that the rules were reapplied to the run. The caller holds the run. */
export async function settleRemark({ trx, tenantId }: IngestScope, runId: RunId): Promise<void> {
  await sql`/* settle-remark */ update run_work set remark = false where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
}
