import { sql } from 'kysely';
import type { FileId, SeriesId } from '#model';
import type { StoredChunkHead } from './read-chunk-heads.ts';
import type { IngestScope } from '../../scope.ts';

/** All chunks of a series, without their points. */
export async function readSeriesChunks({ trx, tenantId }: IngestScope, seriesId: SeriesId): Promise<StoredChunkHead[]> {
  const { rows } = await sql<{
    file_id: FileId;
    first_ordinal: string;
    after_offset: string;
    count: number;
    first_step: string;
    last_step: string;
    superseded: boolean;
  }>`/* read-series-chunks */ select file_id, first_ordinal, after_offset, count, first_step, last_step, superseded
    from scalar_chunk where tenant_id = ${tenantId} and series_id = ${seriesId}`.execute(trx);
  return rows.map((row) => ({
    seriesId,
    key: { fileId: row.file_id, firstOrdinal: Number(row.first_ordinal) },
    afterOffset: Number(row.after_offset),
    count: row.count,
    firstStep: BigInt(row.first_step),
    lastStep: BigInt(row.last_step),
    superseded: row.superseded,
  }));
}
