import type { BlobStore } from '#blobs';
import { decodeBody, markSessions, removeSteps, type SeriesCut, type StepRange } from '#chunks';
import { type ExperimentId, type FileId, isLogName, logsTag, type RunId, type SeriesId } from '#model';
import { dropOriginal } from '#originals';
import { sessionEndTag, sessionStartTag } from '#points';
import {
  blankProblems,
  chunkName,
  clearRunFacts,
  clearRunSession,
  clearSeriesStats,
  copyChunks,
  countRemoved,
  deleteChunks,
  forgetRunFailures,
  holdRun,
  isTransient,
  leaveRun,
  listDoomedSeries,
  nameHash,
  noteSeriesToRollUp,
  notifyFrontier,
  readChunkBodies,
  readFileProgress,
  readRunFiles,
  readRunSeries,
  readSeriesChunks,
  readSessionStarts,
  readValuePlaces,
  refreshMaxLength,
  refreshScalarStats,
  refreshValueStats,
  releaseRun,
  removeRollups,
  removeValues,
  runFactsTag,
  seriesKey,
  reviveValues,
  rollupRatio,
  subtractMismatched,
  subtractRunUsage,
  type ClaimedDeletion,
  type IngestScope,
  type StoredChunkHead,
  type StoredSessionStart,
  type ValuePlace,
  type ValueTable,
} from '#store';
import { remarkRun } from '../ingest-run/remark-run.ts';
import { RunFileOrder } from '../ingest-run/run-file-order.ts';
import { ScalarStats } from '../ingest-run/scalar-stats.ts';
import { ScalarTail } from '../ingest-run/scalar-tail.ts';
import { cutTail } from '../ingest-run/store-scalars.ts';
import { removeFromOriginals } from './remove-from-originals.ts';
import { type DeletionPlace, removeInSteps, removeSeriesWithPoints } from './remove-run-rows.ts';

const allSeries = 1_000_000;
const chunksAtOnce = 64;

/**
 * Removes points from one run: all points of some tags, of some steps, or of some steps of some
 * tags. No data of the run is ingested in the meantime. Removes the points first from the stored
 * bytes of the run's files. `waiting`: bytes that were acknowledged before the deletion are still
 * pending.
 */
export async function removeRunPoints(
  place: DeletionPlace,
  blobs: BlobStore,
  deletion: ClaimedDeletion,
  experimentId: ExperimentId,
  runId: RunId,
): Promise<'done' | 'waiting'> {
  const { store, tenantId, deletionId, onProgress } = place;
  const held = await store.withIngest(tenantId, async (ingest) => {
    const outcome = await holdRun(ingest, { experimentId, runId, deletionId, throughEpoch: deletion.throughEpoch ?? 0 });
    if (outcome === 'held') await emptyTail(ingest, experimentId, runId);
    return outcome;
  });
  if (held === 'waiting') return 'waiting';
  if (held === 'held') {
    const series = await store.withTenant(tenantId, (scope) => listDoomedSeries(scope, runId, deletion.tagHashes, allSeries), {
      readOnly: true,
    });
    const names = deletion.tagHashes === null ? [] : series.map(({ tag }) => Buffer.from(tag));
    for (const file of await store.withTenant(tenantId, (scope) => readRunFiles(scope, experimentId, runId, 1), { readOnly: true })) {
      try {
        if (!isLogName(file.name)) await removeFromOriginals(place, blobs, deletion, file, names);
        else if (namesLogs(deletion)) await dropOriginal(store, blobs, tenantId, file.fileId, deletionId);
      } catch (error) {
        if (!isTransient(error)) await releaseUntouched(place, runId, file.fileId);
        throw error;
      }
      await onProgress();
    }
    await removeRows(place, deletion, experimentId, runId);
    await store.withIngest(tenantId, (ingest) => remarkLanes(ingest, experimentId, runId));
  }
  await store.withTenant(tenantId, async (scope) => {
    await releaseRun(scope, runId, deletionId);
    await forgetRunFailures(scope, runId);
    await leaveRun(scope, deletionId, runId);
    await notifyFrontier(scope, experimentId);
  });
  return 'done';
}

/**
 * Whether the text of logs is deleted too: only if their tag is deleted, not just some of its
 * steps.
 */
function namesLogs({ tagHashes, fromStep, toStep }: ClaimedDeletion): boolean {
  const isNamed = tagHashes?.some((hash) => hash.equals(nameHash(logsTag))) === true;
  return isNamed && fromStep === null && toStep === null;
}

/**
 * Resumes ingest of a run if the original of one of its files could not be changed. No point was
 * removed, because originals are rewritten first. If bytes of the file are pending, ingest finds
 * out whether the bytes before them are lost permanently.
 */
async function releaseUntouched({ store, tenantId, deletionId }: DeletionPlace, runId: RunId, fileId: FileId): Promise<void> {
  await store.withTenant(tenantId, async (scope) => {
    const progress = await readFileProgress(scope, fileId);
    if (progress && progress.readTo > progress.droppedBytes) await releaseRun(scope, runId, deletionId);
  });
}

/**
 * Makes points effective again if only removed points of a writer in another lane had superseded
 * them.
 */
async function remarkLanes(ingest: IngestScope, experimentId: ExperimentId, runId: RunId): Promise<void> {
  const fileOrder = new RunFileOrder(await readRunFiles(ingest, experimentId, runId));
  if (fileOrder.lanes === 1) return;
  const starts = await readSessionStarts(ingest, runId);
  const series = new Map((await readRunSeries(ingest, runId)).map((s) => [seriesKey(s.meta.tag, s.meta.twin, s.writer), s]));
  await remarkRun(ingest, { experimentId, runId, fileOrder, starts, series }, null);
}

/** Moves the tail's points to chunks, where they can be removed. */
async function emptyTail(scope: IngestScope, experimentId: ExperimentId, runId: RunId): Promise<void> {
  const ingest = { scope, stats: new ScalarStats(scope) };
  const bounds = { maxPoints: 0, maxAgeMs: 0 }; // adds nothing
  const tail = await ScalarTail.open(ingest, runId, bounds);
  const fileOrder = new RunFileOrder(await readRunFiles(scope, experimentId, runId));
  const starts = await readSessionStarts(scope, runId);
  const unruly = await cutTail(ingest, fileOrder, tail, starts);
  await ingest.stats.write();
  if (unruly.length === 0) return;
  const series = new Map((await readRunSeries(scope, runId)).map((s) => [seriesKey(s.meta.tag, s.meta.twin, s.writer), s]));
  await remarkRun(scope, { experimentId, runId, fileOrder, starts, series }, new Set(unruly));
}

async function removeRows(place: DeletionPlace, deletion: ClaimedDeletion, experimentId: ExperimentId, runId: RunId): Promise<void> {
  const { store, tenantId } = place;
  const range = { from: deletion.fromStep, to: deletion.toStep };
  const series = await store.withTenant(tenantId, (scope) => listDoomedSeries(scope, runId, deletion.tagHashes, allSeries), {
    readOnly: true,
  });
  const wholeTags = range.from === null && range.to === null;
  for (const { seriesId, dataClass, tag } of series) {
    if (wholeTags) {
      await store.withTenant(tenantId, async (scope) => {
        await blankProblems(scope, runId, tag);
        if (tag === sessionStartTag) await clearRunSession(scope, runId, 'start');
        if (tag === runFactsTag) await clearRunFacts(scope, runId);
        if (tag === sessionEndTag) await clearRunSession(scope, runId, 'end');
      });
      await removeSeriesWithPoints(place, runId, [seriesId]);
    } else if (dataClass === 'scalar') {
      await removeScalars(place, { experimentId, runId, seriesId }, range);
    } else {
      await removeValuesOf(
        place,
        { experimentId, runId, seriesId },
        dataClass === 'tensor' ? 'tensor_value' : 'blob_sequence_value',
        range,
      );
    }
  }
}

interface SeriesPlace {
  readonly experimentId: ExperimentId;
  readonly runId: RunId;
  readonly seriesId: SeriesId;
}

async function readCuts(
  ingest: IngestScope,
  { experimentId, runId }: SeriesPlace,
): Promise<{ fileOrder: RunFileOrder; cuts: SeriesCut[]; starts: readonly StoredSessionStart[] }> {
  const fileOrder = new RunFileOrder(await readRunFiles(ingest, experimentId, runId));
  const starts = await readSessionStarts(ingest, runId);
  const cuts = fileOrder.cuts(starts);
  return { fileOrder, starts, cuts: cuts.map(({ rank, offset, step }) => ({ fileRank: rank, offset, step })) };
}

/**
 * Rewrites a scalar series without the points in the range, in one transaction. Needs memory for a
 * few chunks, or for the whole series if points are superseded.
 */
async function removeScalars(
  { store, tenantId, deletionId, onProgress }: DeletionPlace,
  series: SeriesPlace,
  range: StepRange,
): Promise<void> {
  const { seriesId } = series;
  await store.withIngest(tenantId, async (ingest) => {
    const heads = await readSeriesChunks(ingest, seriesId);
    if (!heads.some((head) => mayHave(head, range))) return;
    const { fileOrder, cuts } = await readCuts(ingest, series);
    const ranked = heads
      .map((head) => ({ ...head, fileRank: fileOrder.rank(head.key.fileId) }))
      .sort((a, b) => a.fileRank - b.fileRank || a.key.firstOrdinal - b.key.firstOrdinal);
    const atOnce = ranked.every((head, i) => followsOn(head, ranked[i - 1])) ? chunksAtOnce : ranked.length;
    const counted = new Map<string, number>();
    let points = 0;
    for (let at = 0; at < ranked.length; at += atOnce) {
      const part = ranked.slice(at, at + atOnce);
      const bodies = await readChunkBodies(ingest, part);
      const whole = part.map((head) => ({ head, body: decodeBody(bodies.get(chunkName(head))!) }));
      const { insert, removed } = removeSteps(whole, cuts, range, counted);
      points += removed;
      await deleteChunks(ingest, part);
      await copyChunks(
        ingest,
        insert.map((draft) => ({ seriesId, draft })),
      );
    }
    await clearSeriesStats(ingest, seriesId);
    await removeRollups(ingest, [seriesId]);
    await noteSeriesToRollUp(ingest, await refreshScalarStats(ingest, [seriesId], rollupRatio));
    await subtractRunUsage(ingest, series.runId, { points });
    await countRemoved(ingest, deletionId, { points });
  });
  await onProgress();
}

/**
 * Whether the points of a chunk are effective and were logged directly after those of the previous
 * chunk.
 */
function followsOn(head: StoredChunkHead, before: StoredChunkHead | undefined): boolean {
  if (head.superseded) return false;
  return head.key.fileId === before?.key.fileId
    ? head.key.firstOrdinal === before.key.firstOrdinal + before.count
    : head.key.firstOrdinal === 0;
}

/** A superseded chunk is not ordered by step, so it may contain any steps. */
function mayHave(head: StoredChunkHead, { from, to }: StepRange): boolean {
  return head.superseded || ((from === null || head.lastStep >= from) && (to === null || head.firstStep <= to));
}

async function removeValuesOf(place: DeletionPlace, series: SeriesPlace, table: ValueTable, range: StepRange): Promise<void> {
  const { store, tenantId, onProgress } = place;
  const { seriesId } = series;
  const points = { seriesIds: [seriesId], fromStep: range.from, toStep: range.to };
  await removeInSteps(place, { runId: series.runId }, async (scope) => {
    const removed = await removeValues(scope, table, points, place.rowsAtOnce);
    if (removed.rows > 0) await subtractMismatched(scope, seriesId, removed.rows);
    return removed;
  });
  await store.withIngest(tenantId, async (ingest) => {
    const values = await readValuePlaces(ingest, table, seriesId);
    const { fileOrder, cuts, starts } = await readCuts(ingest, series);
    await reviveValues(ingest, table, seriesId, revived(values, fileOrder, cuts, starts));
    await clearSeriesStats(ingest, seriesId);
    await refreshValueStats(ingest, table, [seriesId]);
    if (table === 'blob_sequence_value') await refreshMaxLength(ingest, seriesId);
  });
  await onProgress();
}

/** Superseded values that nothing supersedes any longer. */
function revived(
  values: readonly ValuePlace[],
  fileOrder: RunFileOrder,
  cuts: readonly SeriesCut[],
  starts: readonly StoredSessionStart[],
): ValuePlace[] {
  const placed = values.map((value) => {
    const rank = fileOrder.rank(value.fileId);
    const before = starts.filter(({ fileId, offset }) => fileId === value.fileId && offset < value.recordOffset);
    return { ...value, rank, afterOffset: before.reduce((last, { offset }) => Math.max(last, offset), 0) };
  });
  const sessions = [...Map.groupBy(placed, ({ fileId, afterOffset }) => `${fileId} ${afterOffset}`).values()];
  for (const session of sessions) session.sort((a, b) => a.ordinal - b.ordinal);
  const marks = markSessions(
    sessions.map((session) => ({
      fileRank: session[0]!.rank,
      afterOffset: session[0]!.afterOffset,
      steps: BigInt64Array.from(session, ({ step }) => step),
    })),
    cuts,
    fileOrder.order,
  );
  return sessions.flatMap((session, i) => session.filter(({ superseded }, at) => superseded && marks[i]![at] === 0));
}
