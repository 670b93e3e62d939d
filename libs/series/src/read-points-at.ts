import { createHash } from 'node:crypto';
import { pauseIfLong } from '#admission';
import { decodeBody, lowerBound, maxChunkPoints, newPoints } from '#chunks';
import { type ExperimentId, type PointColumns, Problem, type RunId, type SeriesId, type TagName, type View } from '#model';
import {
  type ChunkAt,
  type Extreme,
  listChunksAt,
  listSeriesOfTags,
  readBodiesOf,
  readDeletionProgress,
  readExtremes,
  readLiveRunIds,
  readSettledEpoch,
  readTailsOfSeries,
  type RunSeries,
  type Snapshot,
} from '#store';
import { maxWalkedPoints } from './effective-points.ts';
import { rangesOf } from './find-scalar-series.ts';
import type { CachedPoint, PointCache } from './point-cache.ts';
import type { RunPoints, RunPointsCache } from './run-points-cache.ts';
import { maxStep } from './steps.ts';
import { type SeriesTail, tailsBySeries } from './tail-points.ts';

/** A point of each run: the point of `tag` at a step, otherwise the last point before that step. */
export interface PointAsked {
  readonly tag: TagName;
  /**
   * A step, or the step of the smallest or largest value of a tag (the first, if several are
   * equal).
   */
  readonly at: bigint | { readonly extreme: 'min' | 'max'; readonly tag: TagName };
}

/** An effective point. */
export interface PointAt {
  readonly step: bigint;
  readonly value: number;
}

/** Selects runs. */
export interface RunsAsked {
  readonly experimentId: ExperimentId;
  /** Null for all. */
  readonly runIds: readonly RunId[] | null;
  /** The caller's view; null for all. */
  readonly view: View | null;
}

/** Caches of points that do not change as long as their experiment's epoch stays the same. */
export interface PointCaches {
  /** For requests for some runs. */
  readonly points: PointCache;
  /** For requests for all runs. */
  readonly runs: RunPointsCache;
}

/** Maximum number of lookups at once: their chunks come with at most 9 MB of bodies. */
const lookupsAtOnce = 4_096;
/** Maximum bytes of bodies to read at once; twice as many are received. */
const bodyBytesAtOnce = 9_000_000;

/**
 * For each requested point, the point of each run that has one. If several processes logged a run's
 * tag, it is the point with the largest step and, among equal steps, the one logged last. Throws
 * `answer-too-large` if too many points would have to be decoded.
 */
export async function readPointsAt(
  snapshot: Snapshot,
  runs: RunsAsked,
  asked: readonly PointAsked[],
  caches: PointCaches | null = null,
): Promise<RunPoints[]> {
  const version = caches && asked.length > 0 ? await versionOf(snapshot, runs.experimentId) : null;
  if (version === null) return readUncached(snapshot, runs, asked, null);
  const ofAll = asked.map((one) => caches!.runs.get(keyOfAll(snapshot, version, runs.view, one)));
  const missing = asked.filter((_, i) => !ofAll[i]);
  const rest = await readUncached(snapshot, runs, missing, { points: caches!.points, version });
  if (runs.runIds === null) missing.forEach((one, i) => caches!.runs.put(keyOfAll(snapshot, version, runs.view, one), rest[i]!));
  let at = 0;
  return ofAll.map((known) => (known ? pointsOf(known, runs.runIds) : rest[at++]!));
}

function keyOfAll({ tenantId }: Snapshot, version: string, view: View | null, { tag, at }: PointAsked): string {
  const point = JSON.stringify([tag, typeof at === 'bigint' ? String(at) : at]);
  if (view === null) return `${tenantId} ${version} ${point}`;
  const hash = createHash('sha256')
    .update(JSON.stringify([view.runs, view.tags]))
    .digest('hex');
  return `${tenantId} ${version} ${hash} ${point}`;
}

function pointsOf(points: RunPoints, runIds: readonly RunId[] | null): RunPoints {
  if (runIds === null) return points;
  return new Map(runIds.flatMap((runId) => (points.has(runId) ? [[runId, points.get(runId)!] as const] : [])));
}

async function readUncached(
  snapshot: Snapshot,
  runs: RunsAsked,
  asked: readonly PointAsked[],
  kept: KeptPoints | null,
): Promise<RunPoints[]> {
  if (asked.length === 0) return [];
  const tags = [...new Set(asked.flatMap(({ tag, at }) => (typeof at === 'bigint' ? [tag] : [tag, at.tag])))];
  const all = await listSeriesOfTags(snapshot, { ...runs, tags });
  const byTag = Map.groupBy(all, ({ tag }) => tag);
  const tails = await readTails(snapshot, runs, all);
  const lookups: Lookup[] = [];
  for (const [index, { tag, at }] of asked.entries()) {
    const steps = typeof at === 'bigint' ? null : await extremeSteps(snapshot, byTag.get(at.tag) ?? [], at.extreme, tails);
    for (const { seriesId, runId } of byTag.get(tag) ?? []) {
      const step = typeof at === 'bigint' ? at : steps!.get(runId);
      if (step !== undefined) lookups.push({ index, runId, seriesId, step });
    }
  }
  // Points for requests of all runs are kept together, not one by one
  const found = await lookUp(snapshot, lookups, tails, runs.runIds === null ? null : kept);
  const latest = asked.map(() => new Map<RunId, LoggedPoint>());
  lookups.forEach(({ index, runId }, i) => {
    const point = found[i];
    const known = latest[index]!.get(runId);
    if (point && (!known || point.step > known.step || (point.step === known.step && point.wallTime > known.wallTime)))
      latest[index]!.set(runId, point);
  });
  return latest;
}

/** The tails of these series. Few of an experiment's runs have a tail. */
async function readTails(
  snapshot: Snapshot,
  { experimentId, runIds }: RunsAsked,
  all: readonly RunSeries[],
): Promise<ReadonlyMap<SeriesId, SeriesTail>> {
  const live = runIds === null ? new Set(await readLiveRunIds(snapshot, experimentId)) : null;
  const some = live ? all.filter(({ runId }) => live.has(runId)) : all;
  return tailsBySeries(await readTailsOfSeries(snapshot, rangesOf(some)), new Set(some.map(({ seriesId }) => seriesId)));
}

interface Lookup {
  /** Index of the requested point. */
  readonly index: number;
  readonly runId: RunId;
  readonly seriesId: SeriesId;
  readonly step: bigint;
}

type LoggedPoint = CachedPoint;

/**
 * The step of each run's smallest or largest value, over all its writers; among equal values, the
 * first.
 */
async function extremeSteps(
  snapshot: Snapshot,
  list: readonly RunSeries[],
  summary: 'min' | 'max',
  tails: ReadonlyMap<SeriesId, SeriesTail>,
): Promise<Map<RunId, bigint>> {
  const ids = list.map(({ seriesId }) => seriesId);
  const stored = await readExtremes(snapshot, ids, summary);
  const best = new Map<RunId, Extreme>();
  const isBetter = (one: Extreme, known: Extreme): boolean =>
    one.value === known.value ? one.step < known.step : summary === 'min' ? one.value < known.value : one.value > known.value;
  const add = (runId: RunId, one: Extreme | undefined): void => {
    const known = best.get(runId);
    if (one && (!known || isBetter(one, known))) best.set(runId, one);
  };
  for (const { runId, seriesId } of list) {
    add(runId, stored.get(seriesId));
    const { steps, values } = tails.get(seriesId)?.effective ?? { steps: [], values: [] };
    values.forEach((value, i) => {
      if (!Number.isNaN(value)) add(runId, { step: steps[i]!, value });
    });
  }
  return new Map([...best].map(([runId, { step }]) => [runId, step]));
}

/**
 * Changes whenever the experiment's points may change; null while points are pending. At a settled
 * epoch, only deletions change points.
 */
async function versionOf(snapshot: Snapshot, experimentId: ExperimentId): Promise<string | null> {
  const epoch = await readSettledEpoch(snapshot, experimentId);
  if (epoch === null) return null;
  const { asked, finished, points } = await readDeletionProgress(snapshot, experimentId);
  return `${experimentId} ${epoch} ${asked} ${finished} ${points}`;
}

/** Source of the points of chunks that do not change at this version. */
interface KeptPoints {
  readonly points: PointCache;
  readonly version: string;
}

/**
 * The point at each step, or the last point before that step, by index; undefined if there is none.
 */
async function lookUp(
  snapshot: Snapshot,
  lookups: readonly Lookup[],
  tails: ReadonlyMap<SeriesId, SeriesTail>,
  kept: KeptPoints | null,
): Promise<readonly (LoggedPoint | undefined)[]> {
  // The points of a tail come after those of chunks
  const found = lookups.map(({ seriesId, step }) => {
    const tail = tails.get(seriesId);
    return tail && pointAt(tail.effective, step);
  });
  const stored = lookups.flatMap((_, i) => (found[i] ? [] : [i]));
  const decoded = new ChunksToDecode(snapshot, lookups, found, kept);
  for (let from = 0; from < stored.length; from += lookupsAtOnce) {
    const some = stored.slice(from, from + lookupsAtOnce);
    const chunks = await listChunksAt(
      snapshot,
      some.map((i) => lookups[i]!),
    );
    for (const [at, chunk] of chunks) {
      const pause = pauseIfLong();
      if (pause) await pause;
      decoded.add(some[at]!, chunk);
    }
  }
  await decoded.readBodies();
  return found;
}

/** A chunk whose last step is after its lookups' steps. */
interface ChunkToDecode {
  readonly chunk: ChunkAt & { readonly seriesId: SeriesId };
  readonly lookups: number[];
}

/**
 * Overwritten by each chunk: new columns for thousands of small chunks cost more in garbage
 * collection than decoding does.
 */
const buffer = newPoints(maxChunkPoints);

class ChunksToDecode {
  readonly #snapshot: Snapshot;
  readonly #lookups: readonly Lookup[];
  readonly #found: (LoggedPoint | undefined)[];
  readonly #kept: KeptPoints | null;
  /** Chunks with bodies that are still to be read. */
  readonly #chunks = new Map<string, ChunkToDecode>();
  readonly #counted = new Set<string>();
  #points = 0;

  /** Sets the entries of `found`. */
  constructor(snapshot: Snapshot, lookups: readonly Lookup[], found: (LoggedPoint | undefined)[], kept: KeptPoints | null) {
    this.#snapshot = snapshot;
    this.#lookups = lookups;
    this.#found = found;
    this.#kept = kept;
  }

  /** Finds a lookup's point in its chunk, or defers the lookup until bodies are read. */
  add(i: number, chunk: ChunkAt): void {
    const { seriesId, step } = this.#lookups[i]!;
    if (chunk.lastStep <= step) {
      this.#found[i] = { step: chunk.lastStep, value: chunk.lastValue, wallTime: chunk.lastWall };
      return;
    }
    const cached = this.#kept?.points.get(this.#keyOf(i, chunk));
    if (cached) {
      this.#found[i] = cached;
      return;
    }
    const key = `${seriesId} ${chunk.fileId} ${chunk.firstOrdinal}`;
    if (!this.#counted.has(key)) {
      this.#counted.add(key);
      this.#points += chunk.count;
      if (this.#points > maxWalkedPoints) throw tooManyToDecode();
    }
    const one = this.#chunks.get(key) ?? { chunk: { ...chunk, seriesId }, lookups: [] };
    one.lookups.push(i);
    if (chunk.body) this.#decode(chunk.body, one);
    else this.#chunks.set(key, one);
  }

  async readBodies(): Promise<void> {
    for (const some of batches([...this.#chunks.values()])) {
      const bodies = await readBodiesOf(
        this.#snapshot,
        some.map(({ chunk }) => chunk),
      );
      for (const [at, one] of some.entries()) {
        const pause = pauseIfLong();
        if (pause) await pause;
        this.#decode(bodies[at]!, one);
      }
    }
  }

  #decode(body: Buffer, { chunk, lookups }: ChunkToDecode): void {
    const { points } = decodeBody(body, buffer);
    for (const i of lookups) {
      const point = pointAt(points, this.#lookups[i]!.step);
      this.#found[i] = point;
      if (point) this.#kept?.points.put(this.#keyOf(i, chunk), point);
    }
  }

  #keyOf(i: number, { fileId, firstOrdinal }: ChunkAt): string {
    const { seriesId, step } = this.#lookups[i]!;
    return `${this.#snapshot.tenantId} ${this.#kept?.version} ${seriesId} ${fileId} ${firstOrdinal} ${step}`;
  }
}

/** Consecutive chunks whose bodies are read together. */
function* batches(chunks: readonly ChunkToDecode[]): Generator<ChunkToDecode[]> {
  let batch: ChunkToDecode[] = [];
  let bytes = 0;
  for (const one of chunks) {
    if (batch.length > 0 && bytes + one.chunk.bodyBytes > bodyBytesAtOnce) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(one);
    bytes += one.chunk.bodyBytes;
  }
  if (batch.length > 0) yield batch;
}

/** For points with rising steps. */
function pointAt({ steps, values, wallTimes }: PointColumns, step: bigint): LoggedPoint | undefined {
  const at = (step === maxStep ? steps.length : lowerBound(steps, step + 1n)) - 1;
  return at < 0 ? undefined : { step: steps[at]!, value: values[at]!, wallTime: wallTimes[at]! };
}

function tooManyToDecode(): Problem {
  return new Problem(
    'answer-too-large',
    `The values at these steps are in chunks with more than ${maxWalkedPoints} points, the maximum per request. Request fewer runs or fewer values at a step.`,
    { extra: { max_points: maxWalkedPoints } },
  );
}
