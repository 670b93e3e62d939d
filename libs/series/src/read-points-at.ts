import { pauseIfLong } from '#admission';
import { decodeBody, lowerBound } from '#chunks';
import { type ExperimentId, type PointColumns, Problem, type RunId, type SeriesId, type TagName, type View } from '#model';
import {
  type ChunkAt,
  type Extreme,
  listChunksAt,
  listSeriesOfTags,
  readBodiesOf,
  readDeletionProgress,
  readExtremes,
  readSettledEpoch,
  readTailsOfSeries,
  type RunSeries,
  type Snapshot,
} from '#store';
import { maxWalkedPoints } from './effective-points.ts';
import { rangesOf } from './find-scalar-series.ts';
import type { CachedPoint, PointCache } from './point-cache.ts';
import { maxStep } from './steps.ts';
import { type SeriesTail, tailsBySeries } from './tail-points.ts';

/** A point of each run: the point of `tag` at a step, otherwise the last one before it. */
export interface PointAsked {
  readonly tag: TagName;
  /** A step, or the step of the smallest or largest value of a tag (the first of equal ones). */
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
  /** Null: all. */
  readonly runIds: readonly RunId[] | null;
  /** The caller's view; null for all. */
  readonly view: View | null;
}

/** Resources for a reading of points. */
export interface PointsAtOptions {
  /** Source of the points of unchanged chunks. */
  readonly cache?: PointCache;
}

/** Maximum bodies to read at once: at most 18 MB as received. */
const bodiesAtOnce = 128;

/**
 * For each requested point, the point of each run that has one. Where several processes logged a
 * tag of a run, it is the point with the largest step, and among equal steps the one logged last.
 * Throws `answer-too-large` if too many points would have to be decoded.
 */
export async function readPointsAt(
  snapshot: Snapshot,
  runs: RunsAsked,
  asked: readonly PointAsked[],
  { cache }: PointsAtOptions = {},
): Promise<ReadonlyMap<RunId, PointAt>[]> {
  const tags = [...new Set(asked.flatMap(({ tag, at }) => (typeof at === 'bigint' ? [tag] : [tag, at.tag])))];
  const byTag = Map.groupBy(await listSeriesOfTags(snapshot, { ...runs, tags }), ({ tag }) => tag);
  const all = [...byTag.values()].flat();
  const tails = tailsBySeries(await readTailsOfSeries(snapshot, rangesOf(all)), new Set(all.map(({ seriesId }) => seriesId)));
  const lookups: Lookup[] = [];
  for (const [index, { tag, at }] of asked.entries()) {
    const steps = typeof at === 'bigint' ? null : await extremeSteps(snapshot, byTag.get(at.tag) ?? [], at.extreme, tails);
    for (const { seriesId, runId } of byTag.get(tag) ?? []) {
      const step = typeof at === 'bigint' ? at : steps!.get(runId);
      if (step !== undefined) lookups.push({ index, runId, seriesId, step });
    }
  }
  const version = cache && lookups.length > 0 ? await versionOf(snapshot, runs.experimentId) : null;
  const found = await lookUp(snapshot, lookups, tails, version === null ? null : { cache: cache!, version });
  const latest = asked.map(() => new Map<RunId, LoggedPoint>());
  lookups.forEach(({ index, runId }, i) => {
    const point = found[i];
    const known = latest[index]!.get(runId);
    if (point && (!known || point.step > known.step || (point.step === known.step && point.wallTime > known.wallTime)))
      latest[index]!.set(runId, point);
  });
  return latest;
}

interface Lookup {
  /** Of the requested point. */
  readonly index: number;
  readonly runId: RunId;
  readonly seriesId: SeriesId;
  readonly step: bigint;
}

type LoggedPoint = CachedPoint;

/**
 * The step of the smallest or largest value of each run, over all its writers; among equal values,
 * the first.
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
 * Changes whenever points of the experiment may; null while some are pending. At a settled epoch,
 * only deletions change them.
 */
async function versionOf(snapshot: Snapshot, experimentId: ExperimentId): Promise<string | null> {
  const epoch = await readSettledEpoch(snapshot, experimentId);
  if (epoch === null) return null;
  const { asked, finished, points } = await readDeletionProgress(snapshot, experimentId);
  return `${experimentId} ${epoch} ${asked} ${finished} ${points}`;
}

/** The point at each step or the last one before it, by index; undefined if there is none. */
async function lookUp(
  snapshot: Snapshot,
  lookups: readonly Lookup[],
  tails: ReadonlyMap<SeriesId, SeriesTail>,
  kept: { readonly cache: PointCache; readonly version: string } | null,
): Promise<readonly (LoggedPoint | undefined)[]> {
  const keyOf = ({ seriesId, step }: Lookup, { fileId, firstOrdinal }: ChunkAt): string =>
    `${snapshot.tenantId} ${kept?.version} ${seriesId} ${fileId} ${firstOrdinal} ${step}`;
  // The points of a tail come after those of chunks
  const found = lookups.map(({ seriesId, step }) => {
    const tail = tails.get(seriesId);
    return tail && pointAt(tail.effective, step);
  });
  const stored = lookups.flatMap((_, i) => (found[i] ? [] : [i]));
  const chunks = await listChunksAt(
    snapshot,
    stored.map((i) => lookups[i]!),
  );
  const decoded: { readonly chunk: ChunkAt & { readonly seriesId: SeriesId }; readonly lookups: number[] }[] = [];
  const byChunk = new Map<string, (typeof decoded)[number]>();
  for (const [at, chunk] of chunks) {
    const i = stored[at]!;
    const { seriesId, step } = lookups[i]!;
    if (chunk.lastStep <= step) {
      found[i] = { step: chunk.lastStep, value: chunk.lastValue, wallTime: chunk.lastWall };
      continue;
    }
    const cached = kept?.cache.get(keyOf(lookups[i]!, chunk));
    if (cached) {
      found[i] = cached;
      continue;
    }
    const key = `${seriesId} ${chunk.fileId} ${chunk.firstOrdinal}`;
    const known = byChunk.get(key) ?? { chunk: { ...chunk, seriesId }, lookups: [] };
    if (known.lookups.push(i) === 1) {
      byChunk.set(key, known);
      decoded.push(known);
    }
  }
  const points = decoded.reduce((sum, { chunk }) => sum + chunk.count, 0);
  if (points > maxWalkedPoints) throw tooManyToDecode(points);
  for (let from = 0; from < decoded.length; from += bodiesAtOnce) {
    const some = decoded.slice(from, from + bodiesAtOnce);
    const bodies = await readBodiesOf(
      snapshot,
      some.map(({ chunk }) => chunk),
    );
    for (const [at, one] of some.entries()) {
      const pause = pauseIfLong();
      if (pause) await pause;
      const body = decodeBody(bodies[at]!).points;
      for (const i of one.lookups) {
        const point = pointAt(body, lookups[i]!.step);
        found[i] = point;
        if (point) kept?.cache.put(keyOf(lookups[i]!, one.chunk), point);
      }
    }
  }
  return found;
}

/** For points with rising steps. */
function pointAt({ steps, values, wallTimes }: PointColumns, step: bigint): LoggedPoint | undefined {
  const at = (step === maxStep ? steps.length : lowerBound(steps, step + 1n)) - 1;
  return at < 0 ? undefined : { step: steps[at]!, value: values[at]!, wallTime: wallTimes[at]! };
}

function tooManyToDecode(points: number): Problem {
  return new Problem(
    'answer-too-large',
    `The values at these steps are in chunks of ${points} points; one request can read ${maxWalkedPoints}. Request fewer runs or fewer values at a step.`,
    { extra: { points, max_points: maxWalkedPoints } },
  );
}
