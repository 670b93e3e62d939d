import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** Takes exactly these segments off the list of pending ones; the transaction that does it also stores what their bytes say. */
export async function settleSegments(
  trx: Kysely<Database>,
  tenantId: string,
  experimentId: string,
  runId: string,
  fileId: string,
  offsets: readonly number[],
): Promise<void> {
  await sql`delete from pending_segment
    where tenant_id = ${tenantId} and experiment_id = ${experimentId} and run_id = ${runId} and file_id = ${fileId}
      and "offset" = any(${offsets.map(String)}::bigint[])`.execute(trx);
}
