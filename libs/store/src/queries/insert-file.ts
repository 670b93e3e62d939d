import { sql } from 'kysely';
import type { ExperimentId, FileId, RunId } from '#model';
import { nameHash } from './run-series.ts';
import type { TenantScope } from '../scope.ts';

/**
 * Creates an empty version of an event file and its progress row; returns its id, or null if
 * another request has created this version.
 */
export async function insertFile(
  { trx, tenantId }: TenantScope,
  file: { experimentId: ExperimentId; runId: RunId; name: string; version: number },
): Promise<FileId | null> {
  const { rows } = await sql<{ file_id: FileId }>`
    /* insert-file-event-file */
    insert into event_file (tenant_id, experiment_id, run_id, name, name_hash, version)
    values (${tenantId}, ${file.experimentId}, ${file.runId}, ${file.name}, ${nameHash(file.name)}, ${file.version})
    on conflict (tenant_id, run_id, name_hash, version) do nothing returning file_id`.execute(trx);
  const fileId = rows[0]?.file_id;
  if (fileId === undefined) return null;
  await sql`/* insert-file-file-progress */ insert into file_progress (tenant_id, file_id, run_id, experiment_id)
    values (${tenantId}, ${fileId}, ${file.runId}, ${file.experimentId})`.execute(trx);
  return fileId;
}
