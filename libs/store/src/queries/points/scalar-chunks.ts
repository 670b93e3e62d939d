import { sql } from 'kysely';
import type { Cells, ChunkDraft, ChunkKey } from '#chunks';
import type { FileId, SeriesId } from '#model';
import { BinaryCopyWriter } from '../../binary-copy.ts';
import { copyFrom } from '../../copy-from.ts';
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
 * Selects the chunks of a series that an update may affect, as `updateSeries` and `cutSeries` of
 * #chunks require.
 */
export interface ChunkHeadFilter {
  readonly seriesId: SeriesId;
  /** Effective chunks whose last step is not below this. */
  readonly fromStep: bigint;
}

/**
 * Limits on the small chunks that are read as well (see `settledPoints` and `flipInPlacePoints` of
 * #chunks).
 */
export interface SmallChunks {
  /** File of the batch; null for a cut. */
  readonly fileId: FileId | null;
  readonly effectiveBelow: number;
  readonly supersededBelow: number;
  /** Files later in log order than the batch's: their effective chunks bound it. */
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

/**
 * The number of points of each of these series in chunks of `fileId`; series without any are
 * omitted.
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

/** Identifies a chunk within a tenant. */
export interface ChunkName {
  readonly seriesId: SeriesId;
  readonly key: ChunkKey;
}

/** The key of a chunk in a map. */
export function chunkName({ seriesId, key }: ChunkName): string {
  return `${seriesId}/${key.fileId}/${key.firstOrdinal}`;
}

function keyColumns(names: readonly ChunkName[]) {
  return sql`unnest(${names.map((n) => n.seriesId)}::bigint[], ${names.map((n) => n.key.fileId)}::bigint[],
    ${names.map((n) => String(n.key.firstOrdinal))}::bigint[]) as k(series_id, file_id, first_ordinal)`;
}

/** Encoded bodies of chunks, by {@link chunkName}. */
export async function readChunkBodies({ trx, tenantId }: IngestScope, names: readonly ChunkName[]): Promise<Map<string, Buffer>> {
  if (names.length === 0) return new Map();
  const { rows } = await sql<{ series_id: SeriesId; file_id: FileId; first_ordinal: string; body: Buffer }>`
    /* prepared: read-chunk-bodies */ select c.series_id, c.file_id, c.first_ordinal, c.body from ${keyColumns(names)}
    join scalar_chunk c on c.tenant_id = ${tenantId} and c.series_id = k.series_id and c.file_id = k.file_id and c.first_ordinal = k.first_ordinal`.execute(
    trx,
  );
  return new Map(rows.map((row) => [`${row.series_id}/${row.file_id}/${row.first_ordinal}`, row.body]));
}

/** Removes chunks whose points move to others. */
export async function deleteChunks({ trx, tenantId }: IngestScope, names: readonly ChunkName[]): Promise<void> {
  if (names.length === 0) return;
  await sql`/* prepared: delete-chunks */ delete from scalar_chunk c using ${keyColumns(names)}
    where c.tenant_id = ${tenantId} and c.series_id = k.series_id and c.file_id = k.file_id and c.first_ordinal = k.first_ordinal`.execute(
    trx,
  );
}

/** The array columns of cells, without the prefix of their level (`c64_`, `c512_`). */
export const cellColumns = [
  'first_step',
  'last_step',
  'min_step',
  'max_step',
  'min_at',
  'max_at',
  'wall',
  'first',
  'last',
  'min',
  'max',
  'first8',
  'last8',
  'min8',
  'max8',
] as const;

const rollupColumns = [...cellColumns.map((name) => `c64_${name}`), ...cellColumns.map((name) => `c512_${name}`)];

/** Marks effective chunks as superseded in place; superseded chunks have no cells. */
export async function flipChunks({ trx, tenantId }: IngestScope, names: readonly ChunkName[]): Promise<void> {
  if (names.length === 0) return;
  await sql`/* flip-chunks */
    update scalar_chunk c set superseded = true, ${sql.raw(rollupColumns.map((name) => `${name} = null`).join(', '))}
    from ${keyColumns(names)}
    where c.tenant_id = ${tenantId} and c.series_id = k.series_id and c.file_id = k.file_id and c.first_ordinal = k.first_ordinal`.execute(
    trx,
  );
}

const summaryColumns = [
  'tenant_id',
  'series_id',
  'file_id',
  'first_ordinal',
  'superseded',
  'after_offset',
  'count',
  'nan_count',
  'first_step',
  'last_step',
  'stride',
  'min_step',
  'max_step',
  'first_wall',
  'last_wall',
  'min_wall',
  'max_wall',
  'first_value',
  'last_value',
  'min_value',
  'max_value',
] as const;

/** All columns of `scalar_chunk`. */
export const chunkColumns = [...summaryColumns, ...rollupColumns, 'body'];

/** A chunk to be stored. */
export interface ChunkRow {
  readonly seriesId: SeriesId;
  readonly draft: ChunkDraft;
}

/** Stores chunks by binary COPY; adds the tenant, which comes from the caller's ledger row. */
export async function copyChunks({ client, tenantId }: IngestScope, rows: readonly ChunkRow[]): Promise<void> {
  if (rows.length === 0) return;
  const copy = new BinaryCopyWriter(rows.length * 8 * 1024);
  for (const { seriesId, draft } of rows) {
    const { summary } = draft;
    copy.row(chunkColumns.length);
    copy.uuid(tenantId);
    copy.int8(BigInt(seriesId));
    copy.int8(BigInt(draft.fileId));
    copy.int8(BigInt(draft.firstOrdinal));
    copy.bool(draft.superseded);
    copy.int8(BigInt(draft.afterOffset));
    copy.int4(summary.count);
    copy.int4(summary.nanCount);
    copy.int8(summary.firstStep);
    copy.int8(summary.lastStep);
    copy.int8(summary.stride);
    copy.int8(summary.minStep);
    copy.int8(summary.maxStep);
    copy.float8(summary.firstWall);
    copy.float8(summary.lastWall);
    copy.float8(summary.minWall);
    copy.float8(summary.maxWall);
    copy.float8(summary.firstValue);
    copy.float8(summary.lastValue);
    copy.float8(summary.minValue);
    copy.float8(summary.maxValue);
    copyCells(copy, draft.cells64);
    copyCells(copy, draft.cells512);
    copy.bytes(draft.body);
  }
  await copyFrom(client, 'scalar_chunk', chunkColumns, copy.finish());
}

function copyCells(copy: BinaryCopyWriter, cells: Cells | null): void {
  if (!cells) {
    for (const _ of cellColumns) copy.null();
    return;
  }
  copy.int8Array(cells.firstStep);
  copy.int8Array(cells.lastStep);
  copy.int8Array(cells.minStep);
  copy.int8Array(cells.maxStep);
  copy.int2Array(cells.minAt);
  copy.int2Array(cells.maxAt);
  copy.float8Array(cells.wall);
  const narrow = cells.float32;
  copy.float4Array(narrow ? cells.first : null);
  copy.float4Array(narrow ? cells.last : null);
  copy.float4Array(narrow ? cells.min : null, cells.allNaN);
  copy.float4Array(narrow ? cells.max : null, cells.allNaN);
  copy.float8Array(narrow ? null : cells.first);
  copy.float8Array(narrow ? null : cells.last);
  copy.float8Array(narrow ? null : cells.min, cells.allNaN);
  copy.float8Array(narrow ? null : cells.max, cells.allNaN);
}
