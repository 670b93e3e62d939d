import { sql } from 'kysely';
import type { ExperimentId, FileId, RunId } from '#model';
import type { RemovedRows } from './remove-points.ts';
import { dropPendingSegments } from '../progress/drop-pending.ts';
import type { TenantScope } from '../../scope.ts';

/** Removes at most `limit` segments of these files. */
export async function removeSegments({ trx, tenantId }: TenantScope, fileIds: readonly FileId[], limit: number): Promise<RemovedRows> {
  const { rows } = await sql<{ object_key: string | null; length: number; kept: boolean; bytes: number }>`
    /* remove-segments */
    delete from segment s using (
      select d.file_id, d."offset" from segment d
      where d.tenant_id = ${tenantId} and d.file_id = any(${[...fileIds]}::bigint[]) limit ${limit}) d
    where s.tenant_id = ${tenantId} and s.file_id = d.file_id and s."offset" = d."offset"
    returning s.object_key, s.length, s.epoch is null as kept, coalesce(octet_length(s.body), 0) as bytes`.execute(trx);
  return {
    rows: rows.length,
    points: 0,
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
    valueBytes: 0,
    keptBytes: rows.reduce((sum, row) => sum + (row.kept ? row.length : 0), 0),
    objects: rows.flatMap((row) => (row.object_key === null ? [] : [{ objectKey: row.object_key, bytes: row.length }])),
  };
}

/** Removes a run's pending segments from the ledger. */
export async function removePendingSegments(scope: TenantScope, experimentId: ExperimentId, runId: RunId): Promise<void> {
  await dropPendingSegments(scope, experimentId, [runId]);
}
