import { sql } from 'kysely';
import type { RunId } from '#model';
import type { IngestScope } from '../../scope.ts';

/** Removes the rows from `fromTailNo` on. Their points move to chunks or to another row. */
export async function deleteTail({ trx, tenantId }: IngestScope, runId: RunId, fromTailNo: number): Promise<void> {
  await trx
    .deleteFrom('run_tail')
    .where('tenant_id', '=', tenantId)
    .where('run_id', '=', runId)
    .where('tail_no', '>=', String(fromTailNo))
    .modifyEnd(sql`/* delete-tail */`)
    .execute();
}
