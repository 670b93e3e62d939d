import { sql } from 'kysely';
import type { DtypeName, FileId, SeriesId } from '#model';
import { BinaryCopyWriter } from '../../binary-copy.ts';
import { copyFrom } from '../../copy-from.ts';
import type { IngestScope } from '../../scope.ts';

/** The tables that contain non-scalar values. */
export type ValueTable = 'tensor_value' | 'blob_sequence_value';

/** A tensor row to store. Exactly one of `body` and `objectKey` is set. */
export interface TensorRow {
  readonly seriesId: SeriesId;
  readonly fileId: FileId;
  readonly ordinal: number;
  readonly recordOffset: number;
  readonly step: bigint;
  readonly wallTime: number;
  readonly superseded: boolean;
  readonly dtype: DtypeName;
  readonly shape: readonly number[];
  readonly bytes: number;
  readonly body: Uint8Array | null;
  readonly objectKey: string | null;
}

const tensorColumns = [
  'tenant_id',
  'series_id',
  'file_id',
  'ordinal',
  'record_offset',
  'step',
  'wall_time',
  'superseded',
  'dtype',
  'shape',
  'bytes',
  'body',
  'object_key',
];

/** Stores tensor values with binary COPY. */
export async function copyTensors({ client, tenantId }: IngestScope, rows: readonly TensorRow[]): Promise<void> {
  if (rows.length === 0) return;
  const copy = new BinaryCopyWriter();
  for (const row of rows) {
    copy.row(tensorColumns.length);
    copy.uuid(tenantId);
    copy.int8(BigInt(row.seriesId));
    copy.int8(BigInt(row.fileId));
    copy.int8(BigInt(row.ordinal));
    copy.int8(BigInt(row.recordOffset));
    copy.int8(row.step);
    copy.float8(row.wallTime);
    copy.bool(row.superseded);
    copy.text(row.dtype);
    copy.int8Array(row.shape.map(BigInt));
    copy.int4(row.bytes);
    copy.bytes(row.body);
    copy.text(row.objectKey);
  }
  await copyFrom(client, 'tensor_value', tensorColumns, copy.finish());
}

/** A blob sequence row to store. Its blobs must already be in the blob store. */
export interface BlobSequenceRow {
  readonly seriesId: SeriesId;
  readonly fileId: FileId;
  readonly ordinal: number;
  readonly recordOffset: number;
  readonly step: bigint;
  readonly wallTime: number;
  readonly superseded: boolean;
  readonly sha256: readonly (Uint8Array | null)[];
  readonly bytes: readonly number[];
}

const blobColumns = [
  'tenant_id',
  'series_id',
  'file_id',
  'ordinal',
  'record_offset',
  'step',
  'wall_time',
  'superseded',
  'blob_sha256',
  'blob_bytes',
];

/** Stores blob sequence values with binary COPY. */
export async function copyBlobSequences({ client, tenantId }: IngestScope, rows: readonly BlobSequenceRow[]): Promise<void> {
  if (rows.length === 0) return;
  const copy = new BinaryCopyWriter();
  for (const row of rows) {
    copy.row(blobColumns.length);
    copy.uuid(tenantId);
    copy.int8(BigInt(row.seriesId));
    copy.int8(BigInt(row.fileId));
    copy.int8(BigInt(row.ordinal));
    copy.int8(BigInt(row.recordOffset));
    copy.int8(row.step);
    copy.float8(row.wallTime);
    copy.bool(row.superseded);
    copy.bytesArray(row.sha256);
    copy.int8Array(row.bytes.map(BigInt));
  }
  await copyFrom(client, 'blob_sequence_value', blobColumns, copy.finish());
}

/**
 * Selects the effective values of some series that are before a position in log order and have a
 * step not smaller than `step`.
 */
export interface ValueCut {
  readonly seriesIds: readonly SeriesId[];
  readonly step: bigint;
  /** Files that are completely before the position. */
  readonly fileIds: readonly FileId[];
  /** The file that contains the position, and the position's record offset. */
  readonly fileId: FileId;
  readonly beforeOffset: number;
}

/** Supersedes stored values. Returns the series in which any of these values was effective. */
export async function supersedeValues({ trx, tenantId }: IngestScope, table: ValueTable, cut: ValueCut): Promise<SeriesId[]> {
  const { rows } = await sql<{ series_id: SeriesId }>`/* supersede-values */ update ${sql.table(table)} set superseded = true
    where tenant_id = ${tenantId} and series_id = any(${[...cut.seriesIds]}::bigint[]) and not superseded and step >= ${cut.step.toString()}
      and (file_id = any(${[...cut.fileIds]}::bigint[]) or (file_id = ${cut.fileId} and record_offset < ${cut.beforeOffset}))
    returning series_id`.execute(trx);
  return [...new Set(rows.map((row) => row.series_id))];
}

/**
 * A series' state for a batch from `fileId`: the next ordinal in that file, and the last effective
 * value of the series.
 */
export interface ValueHead {
  readonly seriesId: SeriesId;
  readonly nextOrdinal: number;
  readonly last: { readonly fileId: FileId; readonly step: bigint } | null;
}

/** Heads of these series. Each takes two index probes, however long the series is. */
export async function readValueHeads(
  { trx, tenantId }: IngestScope,
  table: ValueTable,
  seriesIds: readonly SeriesId[],
  fileId: FileId,
): Promise<ValueHead[]> {
  if (seriesIds.length === 0) return [];
  const { rows } = await sql<{ series_id: SeriesId; next_ordinal: string; last_file: FileId | null; last_step: string | null }>`
    /* read-value-heads */
    select i.series_id, coalesce(o.ordinal + 1, 0) as next_ordinal, l.file_id as last_file, l.step as last_step
    from unnest(${[...seriesIds]}::bigint[]) as i(series_id)
    left join lateral (
      select ordinal from ${sql.table(table)} v
      where v.tenant_id = ${tenantId} and v.series_id = i.series_id and v.file_id = ${fileId}
      order by ordinal desc limit 1
    ) o on true
    left join lateral (
      select file_id, step from ${sql.table(table)} v
      where v.tenant_id = ${tenantId} and v.series_id = i.series_id and not v.superseded
      order by step desc limit 1
    ) l on true`.execute(trx);
  return rows.map((row) => ({
    seriesId: row.series_id,
    nextOrdinal: Number(row.next_ordinal),
    last: row.last_file === null ? null : { fileId: row.last_file, step: BigInt(row.last_step!) },
  }));
}

/**
 * The smallest effective step of each of these series in any of `fileIds`. Series without one are
 * omitted.
 */
export async function readFirstSteps(
  { trx, tenantId }: IngestScope,
  table: ValueTable,
  seriesIds: readonly SeriesId[],
  fileIds: readonly FileId[],
): Promise<Map<SeriesId, bigint>> {
  if (seriesIds.length === 0 || fileIds.length === 0) return new Map();
  const { rows } = await sql<{ series_id: SeriesId; step: string }>`
    /* read-first-steps */
    select series_id, min(step) as step from ${sql.table(table)}
    where tenant_id = ${tenantId} and series_id = any(${[...seriesIds]}::bigint[]) and file_id = any(${[...fileIds]}::bigint[]) and not superseded
    group by series_id`.execute(trx);
  return new Map(rows.map((row) => [row.series_id, BigInt(row.step)]));
}
