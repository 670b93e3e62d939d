import { limits, type PointColumns, Problem } from '#model';
import type { ScalarSeries, Snapshot, Store } from '#store';
import { type Admit, readAdmitted } from './admit.ts';
import { walkEffective } from './effective-points.ts';
import { joinPoints } from './point-range.ts';
import { findScalarSeries } from './read-scalars.ts';
import { type SeriesSelection, stepRange } from './scalar-request.ts';
import { samplePlaces, SpikeSampler } from './spike-sampler.ts';
import { pickPoints, type SeriesTail } from './tail-points.ts';

/** Points of one series: all of them, or a sample. */
export interface SampledSeries {
  readonly run: string;
  readonly tag: string;
  readonly points: PointColumns;
}

/** Which series, and how many points of each. */
export interface SampledRequest extends SeriesSelection {
  /** At least 0. A series with more points gives exactly so many of them. */
  readonly points: number;
}

/** In an answer a point takes 16 bytes and those of its step, which may be ten. */
const bytesPerPoint = 20;

/**
 * Reads exact points of series for readers that have a bound on points and draw nothing else (seed 001): where a series has more, the last one, what would be
 * hidden, and evenly spaced others ({@link SpikeSampler}). Series of one run with the same number of points and the same last step give the points of the
 * same steps, as readers expect that compare them point by point. Series without an effective point are left out. Permission and points are from one snapshot.
 */
export async function readSampled(
  store: Store,
  tenantId: string,
  request: SampledRequest,
  admit: Admit,
  signal?: AbortSignal,
): Promise<SampledSeries[]> {
  return store.withSnapshot(tenantId, async ({ trx, client }) => {
    // Asked for at once, in one snapshot: whoever is not admitted is told nothing of the rest.
    const [, { list, tails }] = await Promise.all([
      readAdmitted(trx, tenantId, request, admit),
      findScalarSeries(client, tenantId, request),
    ]);
    const filled = list.filter((series) => totalOf(series, tails) > 0);
    const points =
      request.points === 0 ? filled.map(() => joinPoints([])) : await sampleAll(client, tenantId, request, filled, tails, signal);
    return filled.map(({ run, tag }, i) => ({ run, tag, points: points[i]! }));
  });
}

async function sampleAll(
  client: Snapshot['client'],
  tenantId: string,
  request: SampledRequest,
  list: readonly ScalarSeries[],
  tails: ReadonlyMap<string, SeriesTail>,
  signal?: AbortSignal,
): Promise<PointColumns[]> {
  const wanted = list.reduce((sum, series) => sum + Math.min(request.points, totalOf(series, tails)), 0);
  if (wanted * bytesPerPoint > limits.maxAnswerBytes) throw tooManyPoints(wanted);
  const range = stepRange(request);
  const alike = Map.groupBy(list, (series) => stepsKey(series, tails));
  const takers = list.map((series): Taker => {
    const total = totalOf(series, tails);
    if (total <= request.points) return new TakeAll();
    return new TakeSample(total, request.points, alike.get(stepsKey(series, tails))!.length);
  });
  await walkEffective(client, tenantId, range, list, tails, (i, { points }) => takers[i]!.add(points), signal);
  // Alike series: now that the spikes of all of them are known, the points that they share are read again.
  const again: number[] = [];
  for (const group of alike.values()) {
    if (group.length === 1) continue;
    const members = group.map((series) => list.indexOf(series));
    const spikes = members.flatMap((i) => takers[i]!.spikes ?? []);
    for (const i of members) {
      const total = totalOf(list[i]!, tails);
      if (total <= request.points) continue;
      takers[i] = new TakePlaces(samplePlaces(total, request.points, spikes));
      again.push(i);
    }
  }
  if (again.length > 0) {
    const series = again.map((i) => list[i]!);
    await walkEffective(client, tenantId, range, series, tails, (n, { points }) => takers[again[n]!]!.add(points), signal);
  }
  return takers.map((taker) => taker.finish());
}

function totalOf(series: ScalarSeries, tails: ReadonlyMap<string, SeriesTail>): number {
  return series.points + (tails.get(series.seriesId)?.effective.steps.length ?? 0);
}

/** Series of a run that log together have as many points as one another, and the last one at the same step. */
function stepsKey(series: ScalarSeries, tails: ReadonlyMap<string, SeriesTail>): string {
  const last = tails.get(series.seriesId)?.effective.steps.at(-1) ?? series.lastStep;
  return `${series.runId} ${totalOf(series, tails)} ${last}`;
}

/** Takes the points of a series, a part at a time. */
interface Taker {
  readonly spikes?: readonly number[];
  add(points: PointColumns): void;
  finish(): PointColumns;
}

class TakeAll implements Taker {
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

/** Takes the points at rising places. */
class TakePlaces implements Taker {
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

function tooManyPoints(points: number): Problem {
  const most = Math.floor(limits.maxAnswerBytes / bytesPerPoint);
  return new Problem(
    'answer-too-large',
    `The answer would have ${points} points, and one answer may have ${most}. Ask for fewer runs, tags or points of each.`,
    { extra: { points, max_points: most } },
  );
}
