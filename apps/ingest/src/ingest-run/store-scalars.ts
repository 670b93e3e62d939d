import {
  concatPoints,
  cutSeries,
  decodeBody,
  flipInPlacePoints,
  type PointBatch,
  markSuperseded,
  rises,
  settledPoints,
  updateSeries,
  type BatchStart,
  type ChunkHead,
  type PreparedUpdate,
  type TailEntry,
} from '#chunks';
import type { FileId, PointColumns, SeriesId } from '#model';
import {
  chunkName,
  copyChunks,
  deleteChunks,
  flipChunks,
  readChunkBodies,
  readChunkHeads,
  shortenRollups,
  type ChunkName,
  type ChunkRow,
  type SeriesChange,
  type StoredChunkHead,
  type StoredSessionStart,
} from '#store';
import { type RunFileOrder, type SessionCut } from './run-file-order.ts';
import { placeOf } from './scalar-place.ts';
import type { ScalarIngest } from './scalar-stats.ts';
import type { ScalarTail } from './scalar-tail.ts';
import type { BatchPlace, BatchSeries } from './store-values.ts';

/** A planned update of one series that still needs chunk bodies. */
interface SeriesPlan {
  readonly seriesId: SeriesId;
  readonly update: PreparedUpdate;
  readonly isNew: boolean;
}

/** New points of one series that go to chunks. */
interface SeriesPoints {
  readonly seriesId: SeriesId;
  readonly firstOrdinal: number;
  readonly afterOffset: number;
  readonly points: PointColumns;
  readonly starts: readonly BatchStart[];
  /** Whether nothing of the series is stored yet. */
  readonly isNew: boolean;
}

/**
 * Stores the scalar points of a batch, and applies the restart rule to them and to stored points
 * (data rule 2). Points of a live run go to its tail. Large batches, and batches that affect stored
 * points, go to chunks together with the tail; {@link placeOf} decides. Returns the series whose
 * tags must be remarked.
 */
export async function storeScalars(
  ingest: ScalarIngest,
  place: BatchPlace,
  tail: ScalarTail,
  series: readonly BatchSeries[],
  knownStarts: readonly StoredSessionStart[],
): Promise<SeriesId[]> {
  const { fileId, fileOrder, orderCuts } = place;
  const fresh = await freshPoints(place, tail, series, knownStarts);
  const where = placeOf({
    hasPoints: fresh.length > 0,
    hasStarts: orderCuts.hasStarts,
    cutsStored: orderCuts.added.length > 0,
    isApart: fresh.some(({ firstOrdinal }) => place.isApart(firstOrdinal)),
    isLastOfLane: fileOrder.isLastOfLane(fileId),
  });
  if (where === 'nowhere') return [];
  if (where === 'tail' && (await tail.takes(fresh))) {
    await tail.append(fresh);
    return [];
  }
  const waiting = await tail.entries();
  await tail.clear();
  if (where === 'chunks after tail') {
    return [
      ...(await storeTailEntries(ingest, fileOrder, waiting, knownStarts)),
      ...(await storeFilePoints(ingest, fileOrder, fileId, fresh, orderCuts.laterCut, place.isApart)),
    ];
  }
  const newSeries = new Set(fresh.filter(({ isNew }) => isNew).map(({ seriesId }) => seriesId));
  return storeTailEntries(ingest, fileOrder, [...waiting, ...fresh], knownStarts, { ...place, newSeries });
}

/** The scalar points of a batch, with their positions in the file. */
async function freshPoints(
  { fileId, orderCuts, isNewFile }: BatchPlace,
  tail: ScalarTail,
  series: readonly BatchSeries[],
  knownStarts: readonly StoredSessionStart[],
): Promise<(SeriesPoints & { readonly fileId: FileId })[]> {
  const scalars = series.flatMap((entry) => {
    const points = entry.batch.scalars;
    return points && points.steps.length > 0 ? [{ ...entry, points }] : [];
  });
  if (scalars.length === 0) return [];
  const afterOffset = knownStarts.reduce((last, start) => (start.fileId === fileId ? Math.max(last, start.offset) : last), 0);
  const ids = scalars.map((entry) => entry.seriesId);
  const nextOrdinals = isNewFile ? new Map(ids.map((id) => [id, 0])) : await tail.nextOrdinals(ids, fileId);
  return scalars.map((entry) => ({
    seriesId: entry.seriesId,
    fileId,
    afterOffset,
    firstOrdinal: nextOrdinals.get(entry.seriesId)!,
    points: entry.points,
    starts: orderCuts.startsFor(entry.index),
    isNew: entry.isNew,
  }));
}

/**
 * Cuts a tail into chunks without adding points. Returns the series whose tags must be remarked.
 */
export async function cutTail(
  ingest: ScalarIngest,
  fileOrder: RunFileOrder,
  tail: ScalarTail,
  knownStarts: readonly StoredSessionStart[],
): Promise<SeriesId[]> {
  const waiting = await tail.entries();
  await tail.clear();
  return storeTailEntries(ingest, fileOrder, waiting, knownStarts);
}

/** Stores entries in chunks, file by file in log order. No STARTs may be among them. */
async function storeTailEntries(
  ingest: ScalarIngest,
  fileOrder: RunFileOrder,
  entries: readonly TailEntry[],
  knownStarts: readonly StoredSessionStart[],
  fresh: (BatchPlace & { readonly newSeries: ReadonlySet<SeriesId> }) | null = null,
): Promise<SeriesId[]> {
  const unruly: SeriesId[] = [];
  const byFile = new Map<FileId, Map<SeriesId, TailEntry[]>>();
  for (const entry of entries) {
    const file = byFile.get(entry.fileId) ?? new Map<SeriesId, TailEntry[]>();
    byFile.set(entry.fileId, file);
    const own = file.get(entry.seriesId) ?? [];
    file.set(entry.seriesId, own);
    own.push(entry);
  }
  const cuts = fileOrder.cuts(knownStarts);
  for (const fileId of [...byFile.keys()].toSorted((a, b) => fileOrder.rank(a) - fileOrder.rank(b))) {
    const points = [...byFile.get(fileId)!].map(([seriesId, own]) => ({
      seriesId,
      firstOrdinal: own[0]!.firstOrdinal,
      afterOffset: own[0]!.afterOffset,
      points: concatPoints(own.map((entry) => entry.points)),
      starts: [],
      isNew: fresh?.newSeries.has(seriesId) ?? false,
    }));
    const isApart = fresh?.fileId === fileId ? fresh.isApart : never;
    unruly.push(...(await storeFilePoints(ingest, fileOrder, fileId, points, fileOrder.laterCut(cuts, fileOrder.rank(fileId)), isApart)));
  }
  return unruly;
}

const never = (): boolean => false;

/**
 * Stores the points of one file in chunks. If the points of a series do not directly follow the
 * stored points of their session, they are stored as superseded. Returns these series, because
 * their tags must be remarked.
 */
async function storeFilePoints(
  ingest: ScalarIngest,
  fileOrder: RunFileOrder,
  fileId: FileId,
  series: readonly SeriesPoints[],
  laterCut: bigint | null,
  isApart: (firstOrdinal: number) => boolean,
): Promise<SeriesId[]> {
  if (series.length === 0) return [];
  const rank = fileOrder.rank(fileId);
  const filters = series
    .filter(({ isNew }) => !isNew)
    .map((entry) => {
      const counting = entry.starts.filter((start) => start.cuts);
      return { seriesId: entry.seriesId, fromStep: markSuperseded(entry.points.steps, counting, null).minStep! };
    });
  const heads = headsBySeries(
    await readChunkHeads(ingest.scope, filters, {
      fileId,
      effectiveBelow: settledPoints,
      supersededBelow: flipInPlacePoints,
      laterFiles: fileOrder.after(rank),
    }),
    fileOrder,
  );
  const unruly: SeriesId[] = [];
  const plans = series.map(({ seriesId, isNew, ...batch }) => {
    const own = heads.get(seriesId) ?? [];
    const follows = !isApart(batch.firstOrdinal) && followsStored(own, { ...batch, fileId, fileRank: rank, laterCut });
    if (follows || rank < 0) return { seriesId, isNew, update: updateSeries(own, { ...batch, fileId, fileRank: rank, laterCut }) };
    unruly.push(seriesId);
    const starts = batch.starts.map((start) => ({ ...start, cuts: false }));
    return { seriesId, isNew, update: updateSeries(own, { ...batch, starts, fileId, fileRank: -1, laterCut: minStep }) };
  });
  await carryOut(ingest, plans);
  return unruly;
}

const minStep = -(2n ** 63n);

/** Whether the steps rise within each session of a batch, starting above the stored steps. */
function followsStored(heads: readonly ChunkHead[], batch: PointBatch): boolean {
  const { steps } = batch.points;
  let from = 0;
  for (const to of [...batch.starts.map(({ before }) => before), steps.length]) {
    if (!rises(steps.subarray(from, to))) return false;
    from = to;
  }
  const first = steps[0];
  if (first === undefined || batch.starts[0]?.before === 0) return true;
  const own = heads.filter(({ key, afterOffset }) => key.fileId === batch.fileId && afterOffset === batch.afterOffset);
  if (own.some(({ superseded, lastStep }) => !superseded && lastStep >= first)) return false;
  const isLate = batch.laterCut !== null || heads.some(({ superseded, fileRank }) => !superseded && fileRank > batch.fileRank);
  return !isLate || !own.some(({ superseded }) => superseded);
}

/** Applies STARTs that newly count to the stored chunks of these series. */
export async function cutStoredScalars(
  ingest: ScalarIngest,
  fileOrder: RunFileOrder,
  cuts: readonly SessionCut[],
  seriesIds: readonly SeriesId[],
): Promise<void> {
  if (seriesIds.length === 0) return;
  for (const cut of cuts) {
    const filters = seriesIds.map((seriesId) => ({ seriesId, fromStep: cut.step }));
    const small = { fileId: null, effectiveBelow: 0, supersededBelow: flipInPlacePoints, laterFiles: [] };
    const heads = headsBySeries(await readChunkHeads(ingest.scope, filters, small), fileOrder);
    const plans = [...heads].map(([seriesId, own]) => ({
      seriesId,
      isNew: false,
      update: cutSeries(own, { fileRank: cut.rank, offset: cut.offset, step: cut.step }),
    }));
    await carryOut(ingest, plans);
  }
}

function headsBySeries(stored: readonly StoredChunkHead[], fileOrder: RunFileOrder): Map<SeriesId, ChunkHead[]> {
  const heads = new Map<SeriesId, ChunkHead[]>();
  for (const { seriesId, ...head } of stored) {
    const own = heads.get(seriesId) ?? [];
    own.push({ ...head, fileRank: fileOrder.rank(head.key.fileId) });
    heads.set(seriesId, own);
  }
  return heads;
}

async function carryOut({ scope, stats }: ScalarIngest, plans: readonly SeriesPlan[]): Promise<void> {
  const needed = plans.flatMap((plan) => plan.update.needed.map((head): ChunkName => ({ seriesId: plan.seriesId, key: head.key })));
  const bodies = await readChunkBodies(scope, needed);
  const remove: ChunkName[] = [];
  const flip: ChunkName[] = [];
  const insert: ChunkRow[] = [];
  const changed: SeriesId[] = [];
  const changes: SeriesChange[] = [];
  for (const { seriesId, isNew, update } of plans) {
    const done = update.finish((key) => {
      const body = bodies.get(chunkName({ seriesId, key }));
      if (!body) throw new Error(`chunk ${chunkName({ seriesId, key })} is gone`);
      return decodeBody(body);
    });
    for (const key of done.remove) remove.push({ seriesId, key });
    for (const key of done.flip) flip.push({ seriesId, key });
    for (const draft of done.insert) insert.push({ seriesId, draft });
    if (done.remove.length + done.flip.length + done.insert.length > 0) changed.push(seriesId);
    if (done.effectiveFrom !== null && !isNew) changes.push({ seriesId, fromStep: done.effectiveFrom });
  }
  await deleteChunks(scope, remove);
  await flipChunks(scope, flip);
  await copyChunks(scope, insert);
  await shortenRollups(scope, changes);
  stats.note(changed);
}
