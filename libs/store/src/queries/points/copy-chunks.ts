import type { Cells, ChunkDraft } from '#chunks';
import type { SeriesId } from '#model';
import { BinaryCopyWriter } from '../../binary-copy.ts';
import { copyFrom } from '../../copy-from.ts';
import type { IngestScope } from '../../scope.ts';
import { cellColumns, chunkColumns } from './chunk-columns.ts';

/** A chunk to be stored. */
export interface ChunkRow {
  readonly seriesId: SeriesId;
  readonly draft: ChunkDraft;
}

/**
 * Stores chunks with binary COPY, and adds the tenant, which comes from the caller's ledger row.
 */
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
