import { sql } from 'kysely';
import type { FileId, RunId } from '#model';
import type { IngestScope } from '../../scope.ts';

/** A known SessionLog START of a run. */
export interface StoredSessionStart {
  readonly fileId: FileId;
  readonly offset: number;
  readonly step: bigint;
}

/** All STARTs of a run, in no particular order. */
export async function readSessionStarts({ trx, tenantId }: IngestScope, runId: RunId): Promise<StoredSessionStart[]> {
  const rows = await trx
    .selectFrom('session_start')
    .modifyFront(sql`/* prepared: read-session-starts */`)
    .select(['file_id', 'offset', 'step'])
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .execute();
  return rows.map((row) => ({ fileId: row.file_id, offset: Number(row.offset), step: BigInt(row.step) }));
}
