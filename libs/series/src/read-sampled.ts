import { maxChunkPoints } from '#chunks';
import { emptyPoints, limits, type PointColumns, Problem, type RunName, type TagName, type TenantId } from '#model';
import { readSettledEpoch, type ScalarSeries, type Snapshot, type Store } from '#store';
import type { Admit } from './admit.ts';
import { maxWalkedPoints, walkEffective } from './effective-points.ts';
import { joinPoints } from './point-range.ts';
import { readMostRecent } from './read-most-recent.ts';
import { findScalarSeries, type FoundSeries } from './find-scalar-series.ts';
import type { SampleCache, SampleKey } from './sample-cache.ts';
import type { SeriesResult } from './scalar-result.ts';
import { type SeriesSelection, stepRange } from './scalar-request.ts';
import { sampleLong } from './sample-long.ts';
import { samplePlaces, SpikeSampler } from './spike-sampler.ts';
import { pickPoints, type SeriesTail } from './tail-points.ts';

/** Points of one series: all of them, or a sample. */
export interface SampledSeries {
  readonly run: RunName;
  readonly tag: TagName;
  readonly points: PointColumns;
}

/** Selects series, and the number of points for each. */
export interface SampledRequest extends SeriesSelection {
  /** At least 0. A series with more points returns exactly this many. */
  readonly points: number;
}

/** Resources for reading samples. */
export interface SampledOptions {
  /** Once aborted, no further points are read. */
  readonly signal?: AbortSignal;
  /** Source of samples for unchanged series. */
  readonly cache?: SampleCache;
}

/** In a response, a point takes 16 bytes, plus up to ten for its step. */
const bytesPerPoint = 20;

/**
 * Reads exact points of series for readers that limit the number of points and draw nothing else
 * (seed 001). From a series with more points, selects the last one, points that would otherwise be
 * hidden, and evenly spaced others ({@link SpikeSampler}). Series of one run with the same number
 * of points and the same last step get points at the same steps, as readers that compare them point
 * by point expect. Series without an effective point are omitted. Permission and points come from
 * one snapshot.
 */
export async function readSampled(
  store: Store,
  tenantId: TenantId,
  request: SampledRequest,
  admit: Admit,
  { signal, cache }: SampledOptions = {},
): Promise<SampledSeries[]> {
  return store.withSnapshot(tenantId, async (snapshot) => {
    // Requested concurrently in one snapshot; a caller who is not admitted learns nothing from the
    // other results.
    const [, epoch, found] = await Promise.all([
      admit(snapshot),
      cache ? readSettledEpoch(snapshot, request.experimentId) : null,
      findScalarSeries(snapshot, request),
    ]);
    const series = sized(found).filter(({ total }) => total > 0);
    if (request.points === 0) return series.map(({ run, tag }) => ({ run, tag, points: emptyPoints() }));
    const wanted = series.reduce((sum, { total }) => sum + Math.min(request.points, total), 0);
    if (wanted * bytesPerPoint > limits.maxAnswerBytes) throw tooManyPoints(wanted);
    const alike = Map.groupBy(series, ({ steps }) => steps);
    const keyed = series.map((one): Keyed => {
      const group = alike.get(one.steps)!;
      // A tail means that the run is being written, so a cached sample would soon be useless.
      const key = epoch === null || one.tail ? null : sampleKey(tenantId, epoch, request.points, one, group);
      return { ...one, alike: group.length, key, kept: (key === null ? null : cache?.get(key)) ?? null };
    });
    const missing = keyed.filter(({ kept }) => kept === null);
    const read = await sampleAll(snapshot, request, withTheirAlike(missing, keyed), found.tails, signal);
    return keyed.map(({ run, tag, seriesId, key, kept }) => {
      const taken = kept ?? read.get(seriesId)!;
      if (key !== null) cache?.put(key, taken);
      return { run, tag, points: taken };
    });
  });
}

/** A series with the number of its points, in chunks and in its run's tail. */
interface SizedSeries extends ScalarSeries {
  readonly total: number;
  readonly tail: boolean;
  /** Series that are logged together have the same number of points, and the same last step. */
  readonly steps: string;
}

interface Keyed extends SizedSeries {
  readonly alike: number;
  readonly key: SampleKey | null;
  readonly kept: PointColumns | null;
}

function sized({ list, tails }: FoundSeries): SizedSeries[] {
  return list.map((series) => {
    const tail = tails.get(series.seriesId)?.effective.steps;
    const total = series.points + (tail?.length ?? 0);
    return { ...series, total, tail: tail !== undefined, steps: `${series.runId} ${total} ${tail?.at(-1) ?? series.lastStep}` };
  });
}

/**
 * At a settled epoch, only a deletion changes points, and then there are fewer. If other series
 * influence a sample, its key includes them.
 */
function sampleKey(tenantId: TenantId, epoch: number, points: number, series: SizedSeries, group: readonly SizedSeries[]): SampleKey {
  const asked = series.total <= points ? 'all' : `${points} ${group.map(({ seriesId }) => seriesId).join(',')}`;
  return `${tenantId} ${series.seriesId} ${epoch} ${series.total} ${series.lastStep} ${asked}`;
}

/** The missing series, and the series that are sampled together with them. */
function withTheirAlike(missing: readonly Keyed[], all: readonly Keyed[]): readonly Keyed[] {
  const together = new Set(missing.filter(({ alike }) => alike > 1).map(({ steps }) => steps));
  return together.size === 0 ? missing : all.filter((one) => one.kept === null || together.has(one.steps));
}

/** The points of each series, by its id. */
async function sampleAll(
  snapshot: Snapshot,
  request: SampledRequest,
  list: readonly Keyed[],
  tails: ReadonlyMap<string, SeriesTail>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, PointColumns>> {
  if (request.points === 1) return lastPoints(await readMostRecent(snapshot, request, list, tails), list);
  const walked = list.reduce((sum, { total }) => sum + total, 0);
  // Maximum number of chunks to decode for each series; longer series are not walked.
  const chunks = Math.floor(maxWalkedPoints / maxChunkPoints / list.length);
  const long = walked <= maxWalkedPoints ? [] : list.filter(({ total }) => total > chunks * maxChunkPoints && total > request.points);
  if (long.length > 0 && chunks < 4) throw tooManySeries(list.length);
  const samples = new Map(
    await walkAll(
      snapshot,
      request,
      list.filter((series) => !long.includes(series)),
      tails,
      signal,
    ),
  );
  for (const series of long) {
    signal?.throwIfAborted();
    samples.set(series.seriesId, await sampleLong(snapshot, { ...request, chunks }, series, tails));
  }
  return samples;
}

async function walkAll(
  snapshot: Snapshot,
  request: SampledRequest,
  list: readonly Keyed[],
  tails: ReadonlyMap<string, SeriesTail>,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, PointColumns>> {
  const range = stepRange(request);
  const takers = list.map(({ total, alike }) => (total <= request.points ? new TakeAll() : new TakeSample(total, request.points, alike)));
  await walkEffective(snapshot, range, list, tails, (i, { points }) => takers[i]!.add(points), signal);
  // When the spikes of all series with the same sampling are known, reads the points that they
  // share.
  const shared = list.flatMap((series, i) => (series.alike > 1 && series.total > request.points ? [i] : []));
  const places = new Map(
    [...Map.groupBy(shared, (i) => list[i]!.steps)].map(([steps, group]) => [
      steps,
      samplePlaces(
        list[group[0]!]!.total,
        request.points,
        group.flatMap((i) => takers[i]!.spikes),
      ),
    ]),
  );
  const again = new Map(shared.map((i) => [i, new TakePlaces(places.get(list[i]!.steps)!)]));
  await walkEffective(
    snapshot,
    range,
    shared.map((i) => list[i]!),
    tails,
    (n, { points }) => again.get(shared[n]!)!.add(points),
    signal,
  );
  return new Map(list.map(({ seriesId }, i) => [seriesId, (again.get(i) ?? takers[i]!).finish()]));
}

/**
 * For a sample of one point, only the end of each series is read, because tables of last values
 * request thousands of series.
 */
function lastPoints(responses: readonly SeriesResult[], list: readonly Keyed[]): ReadonlyMap<string, PointColumns> {
  return new Map(responses.map(({ content }, i) => [list[i]!.seriesId, 'points' in content ? content.points : emptyPoints()]));
}

/** Accepts the points of a series, a part at a time. */
interface Taker {
  /** Positions that must be included. */
  readonly spikes: readonly number[];
  add(points: PointColumns): void;
  finish(): PointColumns;
}

class TakeAll implements Taker {
  readonly spikes = [];
  readonly #parts: PointColumns[] = [];

  add(points: PointColumns): void {
    this.#parts.push(points);
  }

  finish(): PointColumns {
    return joinPoints(this.#parts);
  }
}

class TakeSample implements Taker {
  readonly #total: number;
  readonly #points: number;
  readonly #sampler: SpikeSampler;

  constructor(total: number, points: number, alike: number) {
    this.#total = total;
    this.#points = points;
    this.#sampler = new SpikeSampler({ total, points, alike });
  }

  get spikes(): readonly number[] {
    return this.#sampler.spikes;
  }

  add(points: PointColumns): void {
    this.#sampler.add(points);
  }

  finish(): PointColumns {
    return this.#sampler.pick(samplePlaces(this.#total, this.#points, this.spikes));
  }
}

/** Selects the points at rising positions. */
class TakePlaces implements Taker {
  readonly spikes = [];
  readonly #places: readonly number[];
  readonly #parts: PointColumns[] = [];
  #next = 0;
  #seen = 0;

  constructor(places: readonly number[]) {
    this.#places = places;
  }

  add(points: PointColumns): void {
    const end = this.#seen + points.steps.length;
    const from = this.#next;
    while (this.#next < this.#places.length && this.#places[this.#next]! < end) this.#next++;
    const here = this.#places.slice(from, this.#next).map((place) => place - this.#seen);
    if (here.length > 0) this.#parts.push(pickPoints(points, here));
    this.#seen = end;
  }

  finish(): PointColumns {
    return joinPoints(this.#parts);
  }
}

function tooManySeries(series: number): Problem {
  return new Problem('answer-too-large', `These ${series} series are too long for one request. Request fewer runs or tags.`, {
    extra: { series },
  });
}

function tooManyPoints(points: number): Problem {
  const max = Math.floor(limits.maxAnswerBytes / bytesPerPoint);
  return new Problem(
    'answer-too-large',
    `The response would have ${points} points; the limit is ${max}. Request fewer runs, tags or points per series.`,
    { extra: { points, max_points: max } },
  );
}
