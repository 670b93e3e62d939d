import { sql } from 'kysely';
import type { ExperimentId, FileId, RunId } from '#model';
import { nameHash } from '../points/run-series.ts';
import { retryIds } from '../../row-ids.ts';
import type { TenantScope } from '../../scope.ts';

/**
 * Creates an empty version of an event file and its progress row. Returns its id, or null if
 * another request has created this version.
 */
export async function insertFile(
  { trx, tenantId, rowIds }: TenantScope,
  file: { experimentId: ExperimentId; runId: RunId; name: string; version: number },
): Promise<FileId | null> {
  const { experimentId, runId, name, version } = file;
  const hash = nameHash(name);
  return retryIds(rowIds, experimentId, async () => {
    const { rows } = await sql<{ file_id: FileId }>`
      /* insert-file-event-file */
      insert into event_file (tenant_id, file_id, experiment_id, run_id, name, name_hash, version) overriding system value
      values (${tenantId}, ${rowIds.take(experimentId)}, ${experimentId}, ${runId}, ${name}, ${hash}, ${version})
      on conflict do nothing returning file_id`.execute(trx);
    const fileId = rows[0]?.file_id;
    if (fileId === undefined) {
      const { rows: others } = await sql`
        /* insert-file-find-version */
        select from event_file where tenant_id = ${tenantId} and run_id = ${runId} and name_hash = ${hash} and version = ${version}`.execute(
        trx,
      );
      return others.length > 0 ? null : undefined;
    }
    await sql`/* insert-file-file-progress */ insert into file_progress (tenant_id, file_id, run_id, experiment_id)
      values (${tenantId}, ${fileId}, ${runId}, ${experimentId})`.execute(trx);
    return fileId;
  });
}
