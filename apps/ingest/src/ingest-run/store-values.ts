import { createHash } from 'node:crypto';
import { blobKey, type BlobStore, tensorKey } from '#blobs';
import { type BatchStart, markSuperseded, rises } from '#chunks';
import type { BlobSequenceValue, FileId, SeriesBatch, SeriesId, TensorValue } from '#model';
import {
  addSeriesStats,
  copyBlobSequences,
  copyTensors,
  keepAwake,
  readFirstSteps,
  readValueHeads,
  refreshValueStats,
  shareContentObjects,
  supersedeValues,
  type IngestScope,
  type SeriesStatsDelta,
  type ValueHead,
  type ValueTable,
} from '#store';
import type { OrderCuts } from './order-cuts.ts';
import { putObjects } from './put-objects.ts';
import type { RunFileOrder, SessionCut } from './run-file-order.ts';

/** Larger tensors are stored in the blob store (architecture.md, 2). */
const maxInlineTensorBytes = 16 * 1024;

/** The file and order to which a batch belongs, as needed to store the batch. */
export interface BatchPlace {
  readonly fileId: FileId;
  readonly fileOrder: RunFileOrder;
  readonly orderCuts: OrderCuts;
  /** Whether nothing of this file has been stored yet. */
  readonly isNewFile: boolean;
  /**
   * Whether points of the file affect those of other writers, given that `firstOrdinal` points of
   * the series are already stored from the file.
   */
  readonly isApart: (firstOrdinal: number) => boolean;
}

/** A series of a batch, with its id and its index in the batch. */
export interface BatchSeries {
  readonly seriesId: SeriesId;
  readonly index: number;
  /** Whether the run did not have the series before this batch. */
  readonly isNew: boolean;
  readonly batch: SeriesBatch;
}

type Value = TensorValue | BlobSequenceValue;

/**
 * Stores the tensors and blob sequences of a batch, and applies the restart rule to them and to
 * stored values (data rule 2). Objects are durable before their rows are written; rows become
 * visible when the caller commits. Returns the series whose tags must be remarked.
 */
export async function storeValues(
  ingest: IngestScope,
  blobs: BlobStore,
  place: BatchPlace,
  series: readonly BatchSeries[],
): Promise<SeriesId[]> {
  const tensors = series.filter((entry) => entry.batch.meta.dataClass === 'tensor' && entry.batch.tensors.length > 0);
  const sequences = series.filter((entry) => entry.batch.meta.dataClass === 'blob_sequence' && entry.batch.blobSequences.length > 0);
  const unrulyTensors = await storeTable(
    ingest,
    place,
    'tensor_value',
    tensors,
    (entry) => entry.batch.tensors,
    async (rows) => {
      const stored = [];
      const objects = new Map<string, Uint8Array>();
      if (rows.some(({ value }) => value.data.length > maxInlineTensorBytes)) await shareContentObjects(ingest);
      for (const { value, ...row } of rows) {
        const inline = value.data.length <= maxInlineTensorBytes;
        const objectKey = inline ? null : tensorKey(createHash('sha256').update(value.data).digest());
        if (objectKey) objects.set(objectKey, value.data);
        stored.push({
          ...row,
          dtype: value.dtype,
          shape: value.shape,
          bytes: value.data.length,
          body: inline ? value.data : null,
          objectKey,
        });
      }
      await keepAwake(ingest, putObjects(blobs, ingest.tenantId, objects));
      await copyTensors(ingest, stored);
    },
  );
  const unrulySequences = await storeTable(
    ingest,
    place,
    'blob_sequence_value',
    sequences,
    (entry) => entry.batch.blobSequences,
    async (rows) => {
      const stored = [];
      const objects = new Map<string, Uint8Array>();
      await shareContentObjects(ingest);
      for (const { value, ...row } of rows) {
        const sha256 = [];
        for (const blob of value.blobs) {
          const hash = createHash('sha256').update(blob).digest();
          objects.set(blobKey(hash), blob);
          sha256.push(hash);
        }
        stored.push({ ...row, sha256, bytes: value.blobs.map((blob) => blob.length) });
      }
      await keepAwake(ingest, putObjects(blobs, ingest.tenantId, objects));
      await copyBlobSequences(ingest, stored);
    },
  );
  return [...unrulyTensors, ...unrulySequences];
}

interface PlacedRow<V extends Value> {
  readonly seriesId: SeriesId;
  readonly fileId: FileId;
  readonly ordinal: number;
  readonly recordOffset: number;
  readonly step: bigint;
  readonly wallTime: number;
  readonly superseded: boolean;
  readonly value: V;
}

async function storeTable<V extends Value>(
  ingest: IngestScope,
  place: BatchPlace,
  table: ValueTable,
  series: readonly BatchSeries[],
  valuesOf: (entry: BatchSeries) => readonly V[],
  write: (rows: PlacedRow<V>[]) => Promise<void>,
): Promise<SeriesId[]> {
  if (series.length === 0) return [];
  const { fileId, fileOrder, orderCuts } = place;
  const rank = fileOrder.rank(fileId);
  const ids = series.map((entry) => entry.seriesId);
  const heads = new Map((await readValueHeads(ingest, table, ids, fileId)).map((head) => [head.seriesId, head]));
  const behind = series.filter((entry) => isBehind(heads.get(entry.seriesId), fileOrder, rank)).map((entry) => entry.seriesId);
  const laterSteps = await readFirstSteps(ingest, table, behind, fileOrder.after(rank));

  const rows: PlacedRow<V>[] = [];
  const deltas: SeriesStatsDelta[] = [];
  const refresh: SeriesId[] = [];
  const unruly: SeriesId[] = [];
  for (const entry of series) {
    const head = heads.get(entry.seriesId)!;
    const values = valuesOf(entry);
    const floor = orderCuts.floor(laterSteps.get(entry.seriesId) ?? null);
    const counting = orderCuts.startsFor(entry.index).filter((start) => start.cuts);
    const steps = BigInt64Array.from(values, (value) => value.step);
    const marks = markSuperseded(steps, counting, floor);
    const apart = place.isApart(head.nextOrdinal);
    const isUnruly =
      rank >= 0 && (apart || behind.includes(entry.seriesId) || !followsStored(steps, orderCuts.startsFor(entry.index), head, fileId));
    if (isUnruly) unruly.push(entry.seriesId);
    const superseded = isUnruly ? new Uint8Array(values.length).fill(1) : marks.superseded;
    const minStep = isUnruly ? null : marks.minStep;
    if (head.last !== null && minStep !== null && head.last.step >= minStep) {
      const lowered = await supersedeValues(ingest, table, {
        seriesIds: [entry.seriesId],
        step: minStep,
        fileIds: fileOrder.before(rank),
        fileId,
        beforeOffset: values[0]!.offset,
      });
      refresh.push(...lowered);
    }
    values.forEach((value, i) => {
      rows.push({
        seriesId: entry.seriesId,
        fileId,
        ordinal: head.nextOrdinal + i,
        recordOffset: value.offset,
        step: value.step,
        wallTime: value.wallTime,
        superseded: superseded[i] === 1,
        value,
      });
    });
    deltas.push(deltaOf(entry, values, superseded));
  }
  await write(rows);
  await addSeriesStats(ingest, deltas);
  await refreshValueStats(ingest, table, refresh);
  return unruly;
}

/**
 * Whether the steps rise within each session of a batch, starting above the file's effective
 * points.
 */
function followsStored(steps: BigInt64Array, starts: readonly BatchStart[], { last }: ValueHead, fileId: FileId): boolean {
  let from = 0;
  for (const to of [...starts.map(({ before }) => before), steps.length]) {
    if (!rises(steps.subarray(from, to))) return false;
    from = to;
  }
  return last === null || last.fileId !== fileId || last.step < steps[0]!;
}

/** Applies STARTs that newly count to the run's stored tensors and blob sequences. */
export async function cutStoredValues(
  ingest: IngestScope,
  fileOrder: RunFileOrder,
  cuts: readonly SessionCut[],
  series: { readonly tensors: readonly SeriesId[]; readonly blobSequences: readonly SeriesId[] },
): Promise<void> {
  for (const [table, seriesIds] of [['tensor_value', series.tensors] as const, ['blob_sequence_value', series.blobSequences] as const]) {
    const lowered = new Set<SeriesId>();
    for (const cut of cuts) {
      const place = { seriesIds, step: cut.step, fileIds: fileOrder.before(cut.rank), fileId: cut.fileId, beforeOffset: cut.offset };
      for (const id of await supersedeValues(ingest, table, place)) lowered.add(id);
    }
    await refreshValueStats(ingest, table, [...lowered]);
  }
}

/**
 * Whether a later file in log order has values of the series, which means that the batch is late.
 */
function isBehind(head: ValueHead | undefined, fileOrder: RunFileOrder, rank: number): boolean {
  return head !== undefined && head.last !== null && fileOrder.rank(head.last.fileId) > rank;
}

function deltaOf(entry: BatchSeries, values: readonly Value[], superseded: Uint8Array): SeriesStatsDelta {
  const effective = values.filter((_, i) => superseded[i] === 0);
  const last = effective.at(-1);
  return {
    seriesId: entry.seriesId,
    points: effective.length,
    superseded: values.length - effective.length,
    invalid: 0,
    mismatched: 0,
    rounded: 0,
    firstStep: effective[0]?.step ?? null,
    lastStep: last?.step ?? null,
    lastWallTime: last?.wallTime ?? null,
    maxLength: values.reduce<number | null>((max, value) => ('blobs' in value ? Math.max(max ?? 0, value.blobs.length) : max), null),
  };
}
