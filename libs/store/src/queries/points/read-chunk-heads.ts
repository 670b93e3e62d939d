import { sql } from 'kysely';
import type { ChunkKey } from '#chunks';
import type { FileId, SeriesId } from '#model';
import type { IngestScope } from '../../scope.ts';

/** A chunk of a series, without its points. */
export interface StoredChunkHead {
  readonly seriesId: SeriesId;
  readonly key: ChunkKey;
  readonly afterOffset: number;
  readonly count: number;
  readonly firstStep: bigint;
  readonly lastStep: bigint;
  readonly superseded: boolean;
}

/**
 * Selects a series' chunks that an update may affect, as `updateSeries` and `cutSeries` of #chunks
 * require.
 */
export interface ChunkHeadFilter {
  readonly seriesId: SeriesId;
  /** Effective chunks with a last step not below this. */
  readonly fromStep: bigint;
}

/**
 * Limits on the small chunks that are also read (see `settledPoints` and `flipInPlacePoints` of
 * #chunks).
 */
export interface SmallChunks {
  /** File of the batch. Null for a cut. */
  readonly fileId: FileId | null;
  readonly effectiveBelow: number;
  readonly supersededBelow: number;
  /** Files later in log order than the batch's file. Their effective chunks limit the batch. */
  readonly laterFiles: readonly FileId[];
}

/** Heads of the chunks that an update of these series can affect. */
export async function readChunkHeads(
  { trx, tenantId }: IngestScope,
  filters: readonly ChunkHeadFilter[],
  small: SmallChunks,
): Promise<StoredChunkHead[]> {
  if (filters.length === 0) return [];
  const { rows } = await sql<{
    series_id: SeriesId;
    file_id: FileId;
    first_ordinal: string;
    after_offset: string;
    count: number;
    first_step: string;
    last_step: string;
    superseded: boolean;
  }>`/* prepared: read-chunk-heads */ select c.series_id, c.file_id, c.first_ordinal, c.after_offset, c.count, c.first_step, c.last_step, c.superseded
    from unnest(${filters.map((f) => f.seriesId)}::bigint[], ${filters.map((f) => f.fromStep.toString())}::bigint[]) as i(series_id, from_step)
    join scalar_chunk c on c.tenant_id = ${tenantId} and c.series_id = i.series_id
    where (not c.superseded and (c.last_step >= i.from_step
        or (c.file_id = ${small.fileId}::bigint and c.count < ${small.effectiveBelow})
        or c.file_id = any(${[...small.laterFiles]}::bigint[])))
      or (c.superseded and c.count < ${small.supersededBelow})`.execute(trx);
  return rows.map((row) => ({
    seriesId: row.series_id,
    key: { fileId: row.file_id, firstOrdinal: Number(row.first_ordinal) },
    afterOffset: Number(row.after_offset),
    count: row.count,
    firstStep: BigInt(row.first_step),
    lastStep: BigInt(row.last_step),
    superseded: row.superseded,
  }));
}
