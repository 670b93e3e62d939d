import { sql } from 'kysely';
import type { FileId, SeriesId } from '#model';
import type { IngestScope } from '../../scope.ts';

/**
 * How many points each of these series has in chunks of `fileId`. Series without any are omitted.
 */
export async function countFilePoints(
  { trx, tenantId }: IngestScope,
  seriesIds: readonly SeriesId[],
  fileId: FileId,
): Promise<Map<SeriesId, number>> {
  const { rows } = await sql<{ series_id: SeriesId; points: string }>`
    /* prepared: count-file-points */ select series_id, sum(count) as points from scalar_chunk
    where tenant_id = ${tenantId} and series_id = any(${[...seriesIds]}::bigint[]) and file_id = ${fileId}
    group by series_id`.execute(trx);
  return new Map(rows.map((row) => [row.series_id, Number(row.points)]));
}
