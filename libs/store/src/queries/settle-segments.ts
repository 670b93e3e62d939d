import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/**
 * Takes exactly these segments off the list of pending ones; the transaction that does it also stores what their bytes say. Gives how many
 * there were of each epoch: that is what the transaction has to tell.
 */
export async function settleSegments(
  trx: Kysely<Database>,
  tenantId: string,
  experimentId: string,
  runId: string,
  fileId: string,
  offsets: readonly number[],
): Promise<{ epoch: number; segments: number }[]> {
  const { rows } = await sql<{ epoch: string; segments: string }>`with settled as (
      delete from pending_segment
      where tenant_id = ${tenantId} and experiment_id = ${experimentId} and run_id = ${runId} and file_id = ${fileId}
        and "offset" = any(${offsets.map(String)}::bigint[]) returning epoch)
    select epoch, count(*) as segments from settled group by epoch`.execute(trx);
  return rows.map((row) => ({ epoch: Number(row.epoch), segments: Number(row.segments) }));
}
