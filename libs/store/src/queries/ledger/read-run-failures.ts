import { sql } from 'kysely';
import type { RunId } from '#model';
import type { TenantScope, IngestScope } from '../../scope.ts';
import { kept } from './write-run-failure.ts';

/**
 * Clears earlier failures after a success. `batchBytes` limits the next batch; null means the
 * normal limit. While a bad record is being isolated, the failure count does not change, because
 * only the part before the record succeeded.
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
  /** Limit of the next batch in bytes. Null means the normal limit. */
  readonly batchBytes: number | null;
  /** Whether the last attempt failed with this message. */
  readonly lastWas: (message: string) => boolean;
  /** Whether the last failure's message starts with this text. */
  readonly lastBegan: (text: string) => boolean;
}

/**
 * Reads the earlier failures and locks them until the transaction ends. Returns null if there is
 * nothing to record, because the run was removed or is already backing off: another process
 * attempted it at the same time and has recorded the same failure.
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
