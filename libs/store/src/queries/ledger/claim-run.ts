import { sql } from 'kysely';
import type { ExperimentId, RunId } from '#model';
import type { IngestScope } from '../../scope.ts';

/** A run's row in `run_work`, locked until the transaction ends. */
export interface ClaimedRun {
  readonly experimentId: ExperimentId;
  readonly failures: number;
  /**
   * Limit of this batch in bytes while a failing record is being isolated. Null means the normal
   * limit.
   */
  readonly batchBytes: number | null;
  /** Whether the data rules must be reapplied to every point of the run. */
  readonly remark: boolean;
}

/**
 * Locks the run for this transaction, so that two workers never process the same run. Returns null
 * if another worker has the run, the run is backing off, a deletion is processing its points, or
 * the run or its experiment was deleted.
 */
export async function claimRun({ trx, tenantId }: IngestScope, runId: RunId): Promise<ClaimedRun | null> {
  const row = await trx
    .selectFrom('run_work as w')
    .innerJoin('experiment as e', (join) => join.onRef('e.tenant_id', '=', 'w.tenant_id').onRef('e.experiment_id', '=', 'w.experiment_id'))
    .innerJoin('run as r', (join) => join.onRef('r.tenant_id', '=', 'w.tenant_id').onRef('r.run_id', '=', 'w.run_id'))
    .select(['w.experiment_id', 'w.failures', 'w.batch_bytes', 'w.remark'])
    .where('w.tenant_id', '=', tenantId)
    .where('w.run_id', '=', runId)
    .where('w.retry_at', '<=', sql<Date>`now()`)
    .where('w.held_by', 'is', null)
    .where('r.deleted_at', 'is', null)
    .where('e.deleted_at', 'is', null)
    .modifyFront(sql`/* prepared: claim-run */`)
    .forUpdate('w')
    .skipLocked()
    .executeTakeFirst();
  if (!row) return null;
  return {
    experimentId: row.experiment_id,
    failures: row.failures,
    batchBytes: row.batch_bytes === null ? null : Number(row.batch_bytes),
    remark: row.remark,
  };
}
