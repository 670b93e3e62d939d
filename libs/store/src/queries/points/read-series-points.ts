import { sql } from 'kysely';
import type { FileId, SeriesId } from '#model';
import type { StoredChunkHead } from './scalar-chunks.ts';
import type { ValueTable } from './write-values.ts';
import type { IngestScope, TenantScope } from '../../scope.ts';

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

/** The position of a value in its series, and whether it is effective. */
export interface ValuePlace {
  readonly fileId: FileId;
  readonly ordinal: number;
  readonly recordOffset: number;
  readonly step: bigint;
  readonly superseded: boolean;
}

/** All values of a tensor or blob sequence series, in no particular order. */
export async function readValuePlaces({ trx, tenantId }: IngestScope, table: ValueTable, seriesId: SeriesId): Promise<ValuePlace[]> {
  const { rows } = await sql<{ file_id: FileId; ordinal: string; record_offset: string; step: string; superseded: boolean }>`
    /* read-value-places */
    select file_id, ordinal, record_offset, step, superseded from ${sql.table(table)}
    where tenant_id = ${tenantId} and series_id = ${seriesId}`.execute(trx);
  return rows.map((row) => ({
    fileId: row.file_id,
    ordinal: Number(row.ordinal),
    recordOffset: Number(row.record_offset),
    step: BigInt(row.step),
    superseded: row.superseded,
  }));
}

/** Makes values of a series effective again: the points that superseded them were removed. */
export async function reviveValues(
  { trx, tenantId }: IngestScope,
  table: ValueTable,
  seriesId: SeriesId,
  places: readonly ValuePlace[],
): Promise<void> {
  if (places.length === 0) return;
  await sql`/* revive-values */ update ${sql.table(table)} v set superseded = false
    from unnest(${places.map(({ fileId }) => fileId)}::bigint[], ${places.map(({ ordinal }) => String(ordinal))}::bigint[]) as u(file_id, ordinal)
    where v.tenant_id = ${tenantId} and v.series_id = ${seriesId} and v.file_id = u.file_id and v.ordinal = u.ordinal`.execute(trx);
}

/**
 * Resets the summary of a series; the caller rebuilds it from the remaining points. Counts of
 * points that were never stored are kept.
 */
export async function clearSeriesStats({ trx, tenantId }: IngestScope, seriesId: SeriesId): Promise<void> {
  await sql`/* clear-series-stats */
    update series_stats set points = 0, superseded_points = 0, nan_count = 0, first_step = null, last_step = null, last_wall_time = null,
      min_value = null, max_value = null, last_value = null, max_length = null
    where tenant_id = ${tenantId} and series_id = ${seriesId}`.execute(trx);
}

/** Recomputes the largest number of blobs in one point of a blob sequence series. */
export async function refreshMaxLength({ trx, tenantId }: IngestScope, seriesId: SeriesId): Promise<void> {
  await sql`/* refresh-max-length */ update series_stats set max_length = (
      select max(cardinality(b.blob_sha256)) from blob_sequence_value b where b.tenant_id = ${tenantId} and b.series_id = ${seriesId})
    where tenant_id = ${tenantId} and series_id = ${seriesId}`.execute(trx);
}

/**
 * After values were removed from a twin: subtracts them from its series' count of values of another
 * class.
 */
export async function subtractMismatched({ trx, tenantId }: TenantScope, twinId: string, values: number): Promise<void> {
  await sql`/* subtract-mismatched */ update series_stats v set mismatched_points = v.mismatched_points - ${values}
    from series t, series m
    where v.tenant_id = ${tenantId} and t.tenant_id = ${tenantId} and m.tenant_id = ${tenantId} and t.series_id = ${twinId} and t.twin
      and m.run_id = t.run_id and m.tag_hash = t.tag_hash and m.writer = t.writer and not m.twin and v.series_id = m.series_id`.execute(
    trx,
  );
}
