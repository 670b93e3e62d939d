/**
 * Applies data rule 2 to points that are stored, from the start: where the writers of a run relate to one another in another way than before, and where a
 * batch does not just follow what is stored. The outcome is the same as if everything had arrived in log order. One series is in memory at a time.
 */
import { decodeBody, markSessions, remarkSeries, type SeriesCut } from '#chunks';
import {
  addSeriesStats,
  chunkName,
  clearSeriesStats,
  copyChunks,
  deleteChunks,
  insertSeries,
  noteSeriesToRollUp,
  readChunkBodies,
  readSeriesChunks,
  readSeriesWithPoints,
  readValuePlaces,
  refreshMaxLength,
  refreshScalarStats,
  refreshValueStats,
  remarkValues,
  removeRollups,
  removeSeries,
  rollupRatio,
  seriesKey,
  type ChunkRow,
  type IngestTransaction,
  type StoredSeries,
  type StoredSessionStart,
  type ValueTable,
} from '#store';
import type { RunPlaces } from './run-places.ts';

/** The run, and its series by `seriesKey`; series that come or go are added and removed here. */
export interface RunToRemark {
  readonly tenantId: string;
  readonly experimentId: string;
  readonly runId: string;
  readonly places: RunPlaces;
  readonly starts: readonly StoredSessionStart[];
  readonly series: Map<string, StoredSeries>;
}

/**
 * Applies the rule to the tags of these series, or (null) of all. Nothing of them may be in the tail. Gives by how many the number of series of the run
 * changed.
 */
export async function remarkRun(ingest: IngestTransaction, run: RunToRemark, seriesIds: ReadonlySet<string> | null): Promise<number> {
  const before = run.series.size;
  const groups = Map.groupBy(run.series.values(), ({ meta }) => seriesKey(meta.tag, meta.twin, 0));
  const cuts = run.places.cuts(run.starts).map(({ rank, offset, step }) => ({ fileRank: rank, offset, step }));
  for (const group of groups.values()) {
    if (seriesIds !== null && !group.some(({ seriesId }) => seriesIds.has(seriesId))) continue;
    const lanes = new Lanes(ingest, run, group);
    if (group[0]!.meta.dataClass === 'scalar') await remarkScalars(ingest, run, lanes, cuts);
    else await remarkTable(ingest, run, lanes, cuts, group[0]!.meta.dataClass === 'tensor' ? 'tensor_value' : 'blob_sequence_value');
    await lanes.removeEmpty();
  }
  return run.series.size - before;
}

/** The series of one tag, by writer. */
class Lanes {
  readonly #ingest: IngestTransaction;
  readonly #run: RunToRemark;
  readonly #byLane: Map<number, StoredSeries>;

  constructor(ingest: IngestTransaction, run: RunToRemark, group: readonly StoredSeries[]) {
    this.#ingest = ingest;
    this.#run = run;
    this.#byLane = new Map(group.map((series) => [series.writer, series]));
  }

  get ids(): string[] {
    return [...this.#byLane.values()].map(({ seriesId }) => seriesId);
  }

  /** The series of a writer, created when there is none. */
  async id(writer: number): Promise<string> {
    const known = this.#byLane.get(writer);
    if (known) return known.seriesId;
    const { trx } = this.#ingest;
    const { tenantId, experimentId, runId, series } = this.#run;
    const { meta } = this.#byLane.values().next().value!;
    const [seriesId] = await insertSeries(trx, tenantId, experimentId, runId, [meta], writer);
    const made = { seriesId: seriesId!, writer, meta };
    await addSeriesStats(trx, tenantId, [{ seriesId: made.seriesId, ...noPoints }]);
    this.#byLane.set(writer, made);
    series.set(seriesKey(meta.tag, meta.twin, writer), made);
    return made.seriesId;
  }

  /** Removes the series of writers that have no points any more, but for the last one. */
  async removeEmpty(): Promise<void> {
    if (this.#byLane.size < 2) return;
    const { tenantId, series } = this.#run;
    const full = await readSeriesWithPoints(this.#ingest.trx, tenantId, this.ids);
    const empty = [...this.#byLane.values()].filter(({ seriesId }) => !full.has(seriesId));
    for (const { seriesId, writer, meta } of full.size > 0 ? empty : empty.slice(1)) {
      await removeSeries(this.#ingest.trx, tenantId, [seriesId]);
      series.delete(seriesKey(meta.tag, meta.twin, writer));
    }
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

async function remarkScalars(ingest: IngestTransaction, run: RunToRemark, lanes: Lanes, cuts: readonly SeriesCut[]): Promise<void> {
  const { trx, client } = ingest;
  const { tenantId, places } = run;
  const heads = [];
  for (const id of lanes.ids) heads.push(...(await readSeriesChunks(trx, tenantId, id)));
  const bodies = await readChunkBodies(trx, tenantId, heads);
  const chunks = heads.map((head) => ({
    head: { ...head, fileRank: places.rank(head.key.fileId) },
    body: decodeBody(bodies.get(chunkName(head))!),
  }));
  const rows: ChunkRow[] = [];
  for (const { lane, draft } of remarkSeries(chunks, cuts, places.order)) rows.push({ seriesId: await lanes.id(lane), draft });
  await deleteChunks(trx, tenantId, heads);
  await copyChunks(client, tenantId, rows);
  const ids = lanes.ids;
  await removeRollups(trx, tenantId, ids);
  for (const id of ids) await clearSeriesStats(trx, tenantId, id);
  await noteSeriesToRollUp(trx, tenantId, await refreshScalarStats(trx, tenantId, ids, rollupRatio));
}

async function remarkTable(
  { trx }: IngestTransaction,
  run: RunToRemark,
  lanes: Lanes,
  cuts: readonly SeriesCut[],
  table: ValueTable,
): Promise<void> {
  const { tenantId, places, starts } = run;
  const stored = [];
  for (const seriesId of lanes.ids) {
    for (const value of await readValuePlaces(trx, tenantId, table, seriesId)) {
      const before = starts.filter((start) => start.fileId === value.fileId && start.offset < value.recordOffset);
      const afterOffset = before.reduce((last, start) => Math.max(last, start.offset), 0);
      stored.push({ ...value, seriesId, rank: places.rank(value.fileId), afterOffset });
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
    places.order,
  );
  const changed = [];
  for (const [i, session] of sessions.entries()) {
    for (const [at, { fileId, ordinal, seriesId, superseded }] of session.entries()) {
      const now = { fileId, ordinal, fromSeries: seriesId, toSeries: await lanes.id(places.lane(fileId)), superseded: marks[i]![at] === 1 };
      if (now.toSeries !== seriesId || now.superseded !== superseded) changed.push(now);
    }
  }
  for (let at = 0; at < changed.length; at += valuesAtOnce) await remarkValues(trx, tenantId, table, changed.slice(at, at + valuesAtOnce));
  for (const id of lanes.ids) {
    await clearSeriesStats(trx, tenantId, id);
    if (table === 'blob_sequence_value') await refreshMaxLength(trx, tenantId, id);
  }
  await refreshValueStats(trx, tenantId, table, lanes.ids);
}

const valuesAtOnce = 10_000;
