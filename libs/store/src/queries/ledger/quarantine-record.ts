import { sql } from 'kysely';
import type { ExperimentId, FileId, FileProblemReason, RunId } from '#model';
import type { TenantScope } from '../../scope.ts';
import { kept } from './write-run-failure.ts';

/** Reason given in the problem of a quarantined record. */
export const quarantinedReason = 'quarantined' satisfies FileProblemReason;

/** Reason given in the problem that ends a file if its stored bytes are damaged or lost. */
export const lostReason = 'stored-bytes-lost' satisfies FileProblemReason;

/** Reason given in the problem that ends a file if reading fails but no record causes this. */
export const readingFailsReason = 'reading-fails' satisfies FileProblemReason;

/**
 * Quarantines one record, with a reason that its owner can read. Starting with the next attempt,
 * the record is skipped, and the failure count is reset.
 */
export async function quarantineRecord(
  scope: TenantScope,
  record: { experimentId: ExperimentId; runId: RunId; fileId: FileId; offset: number; detail: string },
): Promise<void> {
  const { trx, tenantId } = scope;
  await trx
    .insertInto('file_problem')
    .values({
      tenant_id: tenantId,
      file_id: record.fileId,
      offset: String(record.offset),
      problem_no: 0,
      run_id: record.runId,
      experiment_id: record.experimentId,
      reason: quarantinedReason,
      detail: kept(record.detail),
      bytes: '0',
      ends_file: false,
    })
    .onConflict((conflict) => conflict.doNothing())
    .modifyEnd(sql`/* quarantine-record */`)
    .execute();
  await retryRunNow(scope, record.runId);
}

/** Makes a run's next attempt due immediately, and removes the run's failures. */
export async function retryRunNow({ trx, tenantId }: TenantScope, runId: RunId): Promise<void> {
  await sql`/* retry-run-now */ update run_work set failures = 0, batch_bytes = null, last_error = null, retry_at = now()
    where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
}
