import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** Reason of the problem that a quarantined record is. */
export const quarantinedReason = 'quarantined';

/** Reason of the problem that ends a file where its stored bytes are damaged or gone. */
export const lostReason = 'stored-bytes-lost';

/** Reason of the problem that ends a file where reading on does not come to an end, though no record is to blame. */
export const readingFailsReason = 'reading-fails';

/** At one offset behind everything that was found in the file itself. */
const endedNumber = 2_147_483_646;

/** Text as it is kept in the ledger. */
function kept(text: string): string {
  return text.replaceAll('\0', '\u2400').slice(0, 1_000);
}

/** A failed try at a run. Times are the database's. */
export interface RunFailure {
  readonly tenantId: string;
  readonly runId: string;
  /** How often it has failed in a row now. Failures of the surroundings (database away, disk full) are none of the run's and leave it as it was. */
  readonly failures: number;
  readonly retryAfterMs: number;
  /** Bound of the next batch in bytes; null: the normal one. */
  readonly batchBytes: number | null;
  readonly message: string;
}

/** Notes a failed try, in a transaction of its own. */
export async function writeRunFailure(trx: Kysely<Database>, failure: RunFailure): Promise<void> {
  await sql`update run_work set
      failures = ${failure.failures},
      retry_at = now() + make_interval(secs => ${failure.retryAfterMs / 1000}),
      batch_bytes = ${failure.batchBytes},
      last_error = ${kept(failure.message)}
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

/** What is known of earlier tries at a run. */
export interface RunFailures {
  /** How often it has failed in a row. */
  readonly failures: number;
  /** Bound of the next batch in bytes; null: the normal one. */
  readonly batchBytes: number | null;
  /** Whether this is why the last try failed. */
  readonly lastWas: (message: string) => boolean;
  /** Whether what is said of the last failure begins so. */
  readonly lastBegan: (text: string) => boolean;
}

/**
 * Reads what is known of earlier tries, and locks it until the transaction ends. Null: there is nothing to note, since the run is gone, or waits for its next
 * try already: another process was at it at the same time, and has noted the same trouble.
 */
export async function readRunFailures(trx: Kysely<Database>, tenantId: string, runId: string): Promise<RunFailures | null> {
  const row = await trx
    .selectFrom('run_work')
    .select(['failures', 'batch_bytes', 'last_error'])
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where('retry_at', '<=', sql<Date>`now()`)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return null;
  return {
    failures: row.failures,
    batchBytes: row.batch_bytes === null ? null : Number(row.batch_bytes),
    lastWas: (message) => row.last_error === kept(message),
    lastBegan: (text) => row.last_error?.startsWith(kept(text)) ?? false,
  };
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
      detail: kept(record.detail),
      bytes: '0',
      ends_file: false,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await beginAnew(trx, record);
}

/** Where reading of a file ends, and why. */
export interface FileEnd {
  readonly fileId: string;
  /** End of its last whole record as it was read; nothing happens when it was read on meanwhile. */
  readonly parsedOffset: number;
  /** What cannot be read: from here, so many bytes (0: not known). */
  readonly offset: number;
  readonly bytes: number;
  readonly reason: string;
  readonly detail: string;
}

/**
 * Ends files as damage does (data rule 8): what came before stays, and whatever is pending behind it is settled unread by the next try. No stored byte is
 * removed. Tries are counted anew.
 */
export async function endFiles(
  trx: Kysely<Database>,
  run: { tenantId: string; experimentId: string; runId: string },
  ends: readonly FileEnd[],
): Promise<void> {
  for (const end of ends) {
    // What is behind the last whole record and settled already was waiting for the rest of its record.
    const { rows } = await sql`update file_progress p set ended = true,
        rejected_bytes = p.rejected_bytes + greatest(0, coalesce((select min(s."offset") from pending_segment s
          where s.tenant_id = ${run.tenantId} and s.experiment_id = ${run.experimentId} and s.run_id = ${run.runId} and s.file_id = p.file_id),
          f.durable_offset) - p.parsed_offset)
      from event_file f
      where p.tenant_id = ${run.tenantId} and p.file_id = ${end.fileId} and not p.ended and p.parsed_offset = ${end.parsedOffset}
        and f.tenant_id = ${run.tenantId} and f.file_id = p.file_id
      returning p.file_id`.execute(trx);
    if (rows.length === 0) continue;
    await trx
      .insertInto('file_problem')
      .values({
        tenant_id: run.tenantId,
        file_id: end.fileId,
        offset: String(end.offset),
        problem_no: endedNumber,
        run_id: run.runId,
        experiment_id: run.experimentId,
        reason: end.reason,
        detail: kept(end.detail),
        bytes: String(end.bytes),
        ends_file: true,
      })
      .execute();
  }
  await beginAnew(trx, run);
}

async function beginAnew(trx: Kysely<Database>, { tenantId, runId }: { tenantId: string; runId: string }): Promise<void> {
  await sql`update run_work set failures = 0, batch_bytes = null, last_error = null, retry_at = now()
    where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
}
