import { sql } from 'kysely';
import type { RunId } from '#model';
import type { AnyScope } from '../../scope.ts';

/** Subtracts what a deletion removes from the run's usage, in the transaction that removes it. */
export async function subtractRunUsage(
  { trx, tenantId }: AnyScope,
  runId: RunId,
  { points = 0, series = 0, valueBytes = 0 }: { readonly points?: number; readonly series?: number; readonly valueBytes?: number },
): Promise<void> {
  if (points === 0 && series === 0 && valueBytes === 0) return;
  await sql`/* subtract-run-usage */
    update run_state set points = points - ${points}, series = series - ${series}, value_bytes = value_bytes - ${valueBytes}
    where tenant_id = ${tenantId} and run_id = ${runId}`.execute(trx);
}
