import { sql } from 'kysely';
import type { FileId, RunId } from '#model';
import type { IngestScope } from '../../scope.ts';

/**
 * Removes every point and START of these files, which are copies of other files. Returns what was
 * removed, for the run's usage.
 */
export async function removeFilePoints(
  { trx, tenantId }: IngestScope,
  runId: RunId,
  fileIds: readonly FileId[],
): Promise<{ readonly points: number; readonly valueBytes: number }> {
  const ids = [...fileIds];
  const { rows } = await sql<{ points: string; bytes: string }>`
    /* remove-file-points */
    with own as (select series_id from series where tenant_id = ${tenantId} and run_id = ${runId}),
    chunks as (
      delete from scalar_chunk c using own where c.tenant_id = ${tenantId} and c.series_id = own.series_id and c.file_id = any(${ids}::bigint[])
      returning c.count::bigint as points, 0::bigint as bytes),
    tensors as (
      delete from tensor_value v using own where v.tenant_id = ${tenantId} and v.series_id = own.series_id and v.file_id = any(${ids}::bigint[])
      returning 1::bigint as points, v.bytes::bigint as bytes),
    blobs as (
      delete from blob_sequence_value b using own where b.tenant_id = ${tenantId} and b.series_id = own.series_id and b.file_id = any(${ids}::bigint[])
      returning 1::bigint as points, (select coalesce(sum(n), 0) from unnest(b.blob_bytes) n)::bigint as bytes),
    starts as (
      delete from session_start t where t.tenant_id = ${tenantId} and t.run_id = ${runId} and t.file_id = any(${ids}::bigint[]) returning 1)
    select coalesce(sum(points), 0) as points, coalesce(sum(bytes), 0) as bytes from (
      select * from chunks union all select * from tensors union all select * from blobs) g`.execute(trx);
  return { points: Number(rows[0]!.points), valueBytes: Number(rows[0]!.bytes) };
}
