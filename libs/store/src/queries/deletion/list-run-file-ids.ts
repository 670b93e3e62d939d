import { sql } from 'kysely';
import type { FileId, RunId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** At most `limit` files of a run. */
export async function listRunFileIds({ trx, tenantId }: TenantScope, runId: RunId, limit: number): Promise<FileId[]> {
  const { rows } = await sql<{ file_id: FileId }>`
    /* list-run-file-ids */
    select file_id from event_file where tenant_id = ${tenantId} and run_id = ${runId} order by file_id limit ${limit}`.execute(trx);
  return rows.map((row) => row.file_id);
}
