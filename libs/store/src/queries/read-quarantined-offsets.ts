import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** Reason of a {@link readQuarantinedOffsets} problem. */
export const quarantinedReason = 'quarantined';

/** Offsets of the records of a file that could not be stored after several tries and are passed over. */
export async function readQuarantinedOffsets(trx: Kysely<Database>, tenantId: string, fileId: string): Promise<Set<number>> {
  const rows = await trx
    .selectFrom('file_problem')
    .select('offset')
    .where('tenant_id', '=', tenantId)
    .where('file_id', '=', fileId)
    .where('reason', '=', quarantinedReason)
    .execute();
  return new Set(rows.map((row) => Number(row.offset)));
}
