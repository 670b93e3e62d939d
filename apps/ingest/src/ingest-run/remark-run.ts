/**
 * Applies data rule 2 to stored points from scratch. This happens when the relations between a
 * run's writers change, and when a batch does not simply follow the stored points. The result is
 * the same as if everything had arrived in log order. Only one series is in memory at a time.
 */
import { decodeBody, markSessions, remarkSeries, type SeriesCut } from '#chunks';
import type { ExperimentId, RunId, SeriesId } from '#model';
import {
  addSeriesStats,
  chunkName,
  clearSeriesStats,
  copyChunks,
  deleteChunks,
  insertSeries,
  moveSeriesCounts,
  noteSeriesToRollUp,
  readChunkBodies,
  readSeriesChunks,
  readSeriesWithPoints,
  readValuePlaces,
  recountMismatched,
  refreshMaxLength,
  refreshScalarStats,
  refreshValueStats,
  remarkValues,
  removeRollups,
  removeSeries,
  rollupRatio,
  seriesKey,
  subtractRunUsage,
  type ChunkRow,
  type IngestScope,
  type StoredSeries,
  type StoredSessionStart,
  type ValueTable,
} from '#store';
import type { RunFileOrder } from './run-file-order.ts';

/** The run, and its series by `seriesKey`. Series are added and removed here. */
export interface RunToRemark {
  readonly experimentId: ExperimentId;
  readonly runId: RunId;
  readonly fileOrder: RunFileOrder;
  readonly starts: readonly StoredSessionStart[];
  readonly series: Map<string, StoredSeries>;
}

/**
 * Applies the rule to the tags of these series, or to all tags if null. The tail must not contain
 * any of their points.
 */
export async function remarkRun(ingest: IngestScope, run: RunToRemark, seriesIds: ReadonlySet<SeriesId> | null): Promise<void> {
  const before = run.series.size;
  const tags = Map.groupBy(run.series.values(), ({ meta }) => meta.tag);
  const cuts = run.fileOrder.cuts(run.starts).map(({ rank, offset, step }) => ({ fileRank: rank, offset, step }));
  for (const group of tags.values()) {
    if (seriesIds !== null && !group.some(({ seriesId }) => seriesIds.has(seriesId))) continue;
    const twins = group.filter(({ meta }) => meta.twin);
    const others = group.filter(({ meta }) => !meta.twin);
    const twinWriters = twins.length > 0 ? await remarkGroup(ingest, run, cuts, twins, []) : [];
    if (others.length > 0) await remarkGroup(ingest, run, cuts, others, twinWriters);
  }
  await subtractRunUsage(ingest, run.runId, { series: before - run.series.size });
}

/**
 * Applies the rule to the series of one tag and class. `twinWriters`: writers with values in the
 * twins; their missing counts are added. Returns the writers that have points.
 */
async function remarkGroup(
  ingest: IngestScope,
  run: RunToRemark,
  cuts: readonly SeriesCut[],
  group: readonly StoredSeries[],
  twinWriters: readonly number[],
): Promise<number[]> {
  const lanes = new Lanes(ingest, run, group);
  const { dataClass } = group[0]!.meta;
  if (dataClass === 'scalar') await remarkScalars(ingest, run, lanes, cuts);
  else await remarkTable(ingest, run, lanes, cuts, dataClass === 'tensor' ? 'tensor_value' : 'blob_sequence_value');
  for (const writer of twinWriters) await lanes.id(writer);
  const writers = await lanes.removeEmpty(twinWriters);
  if (!group[0]!.meta.twin) await recountMismatched(ingest, lanes.ids);
  return writers;
}

/** The series of one tag, by writer. */
class Lanes {
  readonly #ingest: IngestScope;
  readonly #run: RunToRemark;
  readonly #byLane: Map<number, StoredSeries>;

  constructor(ingest: IngestScope, run: RunToRemark, group: readonly StoredSeries[]) {
    this.#ingest = ingest;
    this.#run = run;
    this.#byLane = new Map(group.map((series) => [series.writer, series]));
  }

  get ids(): SeriesId[] {
    return [...this.#byLane.values()].map(({ seriesId }) => seriesId);
  }

  /** A writer's series, created if it does not exist. */
  async id(writer: number): Promise<SeriesId> {
    const known = this.#byLane.get(writer);
    if (known) return known.seriesId;
    const { experimentId, runId, series } = this.#run;
    const { meta } = this.#byLane.values().next().value!;
    const [seriesId] = await insertSeries(this.#ingest, experimentId, runId, [meta], writer);
    const made = { seriesId: seriesId!, writer, meta };
    await addSeriesStats(this.#ingest, [{ seriesId: made.seriesId, ...noPoints }]);
    this.#byLane.set(writer, made);
    series.set(seriesKey(meta.tag, meta.twin, writer), made);
    return made.seriesId;
  }

  /**
   * Removes the series of writers that no longer have points and that need not be kept, except one.
   * Moves their counts to the first series. Returns the writers that have points.
   */
  async removeEmpty(keep: readonly number[]): Promise<number[]> {
    const { series } = this.#run;
    const full = await readSeriesWithPoints(this.#ingest, this.ids);
    const all = [...this.#byLane.values()].sort((a, b) => a.writer - b.writer);
    const stay = all.filter(({ seriesId, writer }) => full.has(seriesId) || keep.includes(writer));
    const first = stay[0] ?? all[0]!;
    const empty = all.filter((one) => one !== first && !stay.includes(one));
    if (empty.length > 0) {
      const ids = empty.map(({ seriesId }) => seriesId);
      await moveSeriesCounts(this.#ingest, ids, first.seriesId);
      await removeSeries(this.#ingest, ids);
    }
    for (const { writer, meta } of empty) {
      this.#byLane.delete(writer);
      series.delete(seriesKey(meta.tag, meta.twin, writer));
    }
    return stay.filter(({ seriesId }) => full.has(seriesId)).map(({ writer }) => writer);
  }
}

const noPoints = {
  points: 0,
  superseded: 0,
  invalid: 0,
  mismatched: 0,
  rounded: 0,
  firstStep: null,
  lastStep: null,
  lastWallTime: null,
  maxLength: null,
};

async function remarkScalars(ingest: IngestScope, run: RunToRemark, lanes: Lanes, cuts: readonly SeriesCut[]): Promise<void> {
  const { fileOrder } = run;
  const heads = [];
  for (const id of lanes.ids) heads.push(...(await readSeriesChunks(ingest, id)));
  const bodies = await readChunkBodies(ingest, heads);
  const chunks = heads.map((head) => ({
    head: { ...head, fileRank: fileOrder.rank(head.key.fileId) },
    body: decodeBody(bodies.get(chunkName(head))!),
  }));
  const rows: ChunkRow[] = [];
  for (const { lane, draft } of remarkSeries(chunks, cuts, fileOrder.order)) rows.push({ seriesId: await lanes.id(lane), draft });
  await deleteChunks(ingest, heads);
  await copyChunks(ingest, rows);
  const ids = lanes.ids;
  await removeRollups(ingest, ids);
  for (const id of ids) await clearSeriesStats(ingest, id);
  await noteSeriesToRollUp(ingest, await refreshScalarStats(ingest, ids, rollupRatio));
}

async function remarkTable(
  ingest: IngestScope,
  run: RunToRemark,
  lanes: Lanes,
  cuts: readonly SeriesCut[],
  table: ValueTable,
): Promise<void> {
  const { fileOrder, starts } = run;
  const stored = [];
  for (const seriesId of lanes.ids) {
    for (const value of await readValuePlaces(ingest, table, seriesId)) {
      const before = starts.filter((start) => start.fileId === value.fileId && start.offset < value.recordOffset);
      const afterOffset = before.reduce((last, start) => Math.max(last, start.offset), 0);
      stored.push({ ...value, seriesId, rank: fileOrder.rank(value.fileId), afterOffset });
    }
  }
  const sessions = [...Map.groupBy(stored, (value) => `${value.fileId} ${value.afterOffset}`).values()];
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
  const changed = [];
  for (const [i, session] of sessions.entries()) {
    for (const [at, { fileId, ordinal, seriesId, superseded }] of session.entries()) {
      const now = {
        fileId,
        ordinal,
        fromSeries: seriesId,
        toSeries: await lanes.id(fileOrder.lane(fileId)),
        superseded: marks[i]![at] === 1,
      };
      if (now.toSeries !== seriesId || now.superseded !== superseded) changed.push(now);
    }
  }
  for (let at = 0; at < changed.length; at += valuesAtOnce) await remarkValues(ingest, table, changed.slice(at, at + valuesAtOnce));
  for (const id of lanes.ids) {
    await clearSeriesStats(ingest, id);
    if (table === 'blob_sequence_value') await refreshMaxLength(ingest, id);
  }
  await refreshValueStats(ingest, table, lanes.ids);
}

const valuesAtOnce = 10_000;
