import { sql } from 'kysely';
import type { ExperimentId, FileId, FileProblemReason, RunId } from '#model';
import type { TenantScope, IngestScope } from '../../scope.ts';

/** Reason of the problem of a quarantined record. */
export const quarantinedReason = 'quarantined' satisfies FileProblemReason;

/** Reason of the problem that ends a file because its stored bytes are damaged or lost. */
export const lostReason = 'stored-bytes-lost' satisfies FileProblemReason;

/**
 * Reason of the problem that ends a file when reading does not finish although no record is the
 * culprit.
 */
export const readingFailsReason = 'reading-fails' satisfies FileProblemReason;

/** Sorts after all problems found in the file itself at the same offset. */
const endedNumber = 2_147_483_646;

/** Text in the form in which the ledger stores it. */
function kept(text: string): string {
  return text.replaceAll('\0', '\u2400').slice(0, 1_000);
}

/** A failed attempt at a run. Times are the database's. */
export interface RunFailure {
  readonly runId: RunId;
  /**
   * The number of consecutive failures, including this one. Failures of the environment (database
   * down, disk full) do not count.
   */
  readonly failures: number;
  readonly retryAfterMs: number;
  /** Bound of the next batch in bytes; null: the normal bound. */
  readonly batchBytes: number | null;
  readonly message: string;
}

/** Records a failed attempt, in a separate transaction. */
export async function writeRunFailure({ trx, tenantId }: TenantScope, failure: RunFailure): Promise<void> {
  await sql`/* write-run-failure */ update run_work set
      failures = ${failure.failures},
      retry_at = now() + make_interval(secs => ${failure.retryAfterMs / 1000}),
      batch_bytes = ${failure.batchBytes},
      last_error = ${kept(failure.message)}
    where tenant_id = ${tenantId} and run_id = ${failure.runId}`.execute(trx);
}

/**
 * Clears earlier failures after a success. `batchBytes`: bound of the next batch; null: the normal
 * bound. While a bad record is being isolated, the failure count stays: only the part before it
 * succeeded.
 */
export async function clearRunFailures({ trx, tenantId }: IngestScope, runId: RunId, batchBytes: number | null): Promise<void> {
  await sql`/* clear-run-failures */
    update run_work set failures = ${batchBytes === null ? sql`0` : sql`failures`}, batch_bytes = ${batchBytes}, last_error = null
    where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
}

/** Earlier failed attempts at a run. */
export interface RunFailures {
  /** The number of consecutive failures. */
  readonly failures: number;
  /** Bound of the next batch in bytes; null: the normal bound. */
  readonly batchBytes: number | null;
  /** Whether the last attempt failed with this message. */
  readonly lastWas: (message: string) => boolean;
  /** Whether the message of the last failure starts with this text. */
  readonly lastBegan: (text: string) => boolean;
}

/**
 * Reads the earlier failures, and locks them until the transaction ends. Null: there is nothing to
 * record, since the run was removed, or is already backing off: another process attempted it at the
 * same time, and has recorded the same failure.
 */
export async function readRunFailures({ trx, tenantId }: TenantScope, runId: RunId): Promise<RunFailures | null> {
  const row = await trx
    .selectFrom('run_work')
    .select(['failures', 'batch_bytes', 'last_error'])
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where('retry_at', '<=', sql<Date>`now()`)
    .forUpdate()
    .modifyFront(sql`/* read-run-failures */`)
    .executeTakeFirst();
  if (!row) return null;
  return {
    failures: row.failures,
    batchBytes: row.batch_bytes === null ? null : Number(row.batch_bytes),
    lastWas: (message) => row.last_error === kept(message),
    lastBegan: (text) => row.last_error?.startsWith(kept(text)) ?? false,
  };
}

/**
 * Quarantines one record, with a reason that its owner can read; from the next attempt on it is
 * skipped, and the failure count restarts.
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

/** Where reading of a file ends, and why. */
export interface FileEnd {
  readonly fileId: FileId;
  /**
   * End of its last complete record when it was read; nothing happens if reading has advanced
   * meanwhile.
   */
  readonly parsedOffset: number;
  /** The unreadable range: starting here, this many bytes (0: unknown). */
  readonly offset: number;
  readonly bytes: number;
  readonly reason: FileProblemReason;
  readonly detail: string;
}

/**
 * Ends files as damage does (data rule 8): everything before stays, and the next attempt settles
 * the pending bytes after it without reading them. No stored byte is removed. The failure count
 * restarts.
 */
export async function endFiles(
  scope: TenantScope,
  run: { experimentId: ExperimentId; runId: RunId },
  ends: readonly FileEnd[],
): Promise<void> {
  const { trx, tenantId } = scope;
  for (const end of ends) {
    // Settled bytes after the last complete record were waiting for the rest of their record.
    const { rows } = await sql`/* end-files-file-progress */ update file_progress p set ended = true,
        rejected_bytes = p.rejected_bytes + greatest(0, coalesce((select min(s."offset") from pending_segment s
          where s.tenant_id = ${tenantId} and s.experiment_id = ${run.experimentId} and s.run_id = ${run.runId} and s.file_id = p.file_id),
          f.durable_offset) - p.parsed_offset)
      from event_file f
      where p.tenant_id = ${tenantId} and p.file_id = ${end.fileId} and not p.ended and p.parsed_offset = ${end.parsedOffset}
        and f.tenant_id = ${tenantId} and f.file_id = p.file_id
      returning p.file_id`.execute(trx);
    if (rows.length === 0) continue;
    await trx
      .insertInto('file_problem')
      .values({
        tenant_id: tenantId,
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
      .modifyEnd(sql`/* end-files-file-problem */`)
      .execute();
  }
  await retryRunNow(scope, run.runId);
}

async function retryRunNow({ trx, tenantId }: TenantScope, runId: RunId): Promise<void> {
  await sql`/* retry-run-now */ update run_work set failures = 0, batch_bytes = null, last_error = null, retry_at = now()
    where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
}
