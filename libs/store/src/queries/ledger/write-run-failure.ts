import { sql } from 'kysely';
import type { RunId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** Converts a message to the form that the ledger stores. */
export function kept(text: string): string {
  return text.replaceAll('\0', '\u2400').slice(0, 1_000);
}

/** A failed attempt at a run. Times come from the database's clock. */
export interface RunFailure {
  readonly runId: RunId;
  /**
   * The number of consecutive failures, including this one. Environment failures (database down,
   * disk full) do not count.
   */
  readonly failures: number;
  readonly retryAfterMs: number;
  /** Limit of the next batch in bytes. Null means the normal limit. */
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
