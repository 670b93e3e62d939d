import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** Reason of the problem that a quarantined record is. */
export const quarantinedReason = 'quarantined';

/** A failed try at a run. Times are the database's. */
export interface RunFailure {
  readonly tenantId: string;
  readonly runId: string;
  /** Counts towards cornering a bad record; false for failures of the surroundings (database away, disk full). */
  readonly counts: boolean;
  readonly retryAfterMs: number;
  /** Bound of the next batch in bytes; null: the normal one. */
  readonly batchBytes: number | null;
  readonly message: string;
}

/** Notes a failed try, in a transaction of its own. */
export async function writeRunFailure(trx: Kysely<Database>, failure: RunFailure): Promise<void> {
  await sql`update run_work set
      failures = failures + ${failure.counts ? 1 : 0},
      retry_at = now() + make_interval(secs => ${failure.retryAfterMs / 1000}),
      batch_bytes = ${failure.batchBytes},
      last_error = ${failure.message.replaceAll('\0', '\u2400').slice(0, 1_000)}
    where tenant_id = ${failure.tenantId} and run_id = ${failure.runId}`.execute(trx);
}

/**
 * Forgets earlier failures after a success. `batchBytes`: bound of the next batch; null: the normal one. While a bad record is being cornered the
 * count of failures stays: what went well was only the part before it.
 */
export async function clearRunFailures(trx: Kysely<Database>, tenantId: string, runId: string, batchBytes: number | null): Promise<void> {
  await sql`update run_work set failures = ${batchBytes === null ? sql`0` : sql`failures`}, batch_bytes = ${batchBytes}, last_error = null
    where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
}

/** How often a run has failed in a row, and the bound of its next batch. */
export async function readRunFailures(
  trx: Kysely<Database>,
  tenantId: string,
  runId: string,
): Promise<{ failures: number; batchBytes: number | null } | null> {
  const row = await trx
    .selectFrom('run_work')
    .select(['failures', 'batch_bytes'])
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row ? { failures: row.failures, batchBytes: row.batch_bytes === null ? null : Number(row.batch_bytes) } : null;
}

/** Puts one record aside, with the reason that its owner can read; from the next try on it is passed over, and tries are counted anew. */
export async function quarantineRecord(
  trx: Kysely<Database>,
  record: { tenantId: string; experimentId: string; runId: string; fileId: string; offset: number; detail: string },
): Promise<void> {
  await trx
    .insertInto('file_problem')
    .values({
      tenant_id: record.tenantId,
      file_id: record.fileId,
      offset: String(record.offset),
      problem_no: 0,
      run_id: record.runId,
      experiment_id: record.experimentId,
      reason: quarantinedReason,
      detail: record.detail.replaceAll('\0', '\u2400').slice(0, 1_000),
      bytes: '0',
      ends_file: false,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await sql`update run_work set failures = 0, batch_bytes = null, retry_at = now()
    where tenant_id = ${record.tenantId} and run_id = ${record.runId}`.execute(trx);
}
