import { sql } from 'kysely';
import type { ExperimentId, FileId } from '#model';
import type { TenantScope } from '../../scope.ts';

/** A file that was removed. */
export interface RemovedFile {
  readonly durableOffset: number;
  readonly originalKey: string | null;
}

/**
 * Removes files that no longer have segments. An append locks the file's row, so nothing can be
 * added afterward. If a file got a segment in the meantime, a later call removes it. Reduces the
 * experiment's byte counts.
 */
export async function removeFiles(
  { trx, tenantId }: TenantScope,
  experimentId: ExperimentId,
  fileIds: readonly FileId[],
): Promise<RemovedFile[]> {
  const ids = [...fileIds];
  await sql`/* remove-files-event-file */
    select 1 from event_file where tenant_id = ${tenantId} and file_id = any(${ids}::bigint[]) order by file_id for update`.execute(trx);
  const { rows } = await sql<{ durable_offset: string; dropped_bytes: string; original_key: string | null }>`
    /* remove-files-delete-event-file */
    delete from event_file f where f.tenant_id = ${tenantId} and f.file_id = any(${ids}::bigint[])
      and not exists (select 1 from segment s where s.tenant_id = ${tenantId} and s.file_id = f.file_id)
    returning f.durable_offset, f.dropped_bytes, f.original_key`.execute(trx);
  const bytes = rows.reduce((sum, row) => sum + Number(row.durable_offset), 0);
  const dropped = rows.reduce((sum, row) => sum + Number(row.dropped_bytes), 0);
  if (bytes > 0) {
    await sql`/* remove-files-experiment-epoch */
      update experiment_epoch set acknowledged_bytes = acknowledged_bytes - ${bytes}, stored_bytes = stored_bytes - ${bytes - dropped}
      where tenant_id = ${tenantId} and experiment_id = ${experimentId}`.execute(trx);
  }
  return rows.map((row) => ({ durableOffset: Number(row.durable_offset), originalKey: row.original_key }));
}
