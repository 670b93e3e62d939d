import { pauseIfLong } from '#admission';
import { decodeBody, maxChunkPoints, newPoints } from '#chunks';
import { type BodyRequest, readEffectiveBodies, type ScalarSeries, type Snapshot } from '#store';
import { ahead } from './ahead.ts';
import type { Buckets } from './bucket-columns.ts';
import type { IntegerColumn } from './json-numbers.ts';
import { memoryOf, MovingAverage } from './moving-average.ts';
import { clip } from './point-range.ts';
import type { SeriesResult, Smoothed } from './scalar-result.ts';
import { minStep } from './steps.ts';
import { noTail, type SeriesTail } from './tail-points.ts';

/** Number of points that are decoded as one group, with a few queries. */
const groupPoints = 524_288;

/**
 * Maximum number of points that one request decodes to smooth its series, which takes a few seconds
 * of CPU time. Further series are returned without smoothed values. A guess.
 */
const maxPoints = 32_000_000;

/**
 * Adds moving averages to buckets and raw points: over all effective points of the series, from the
 * first one on, for any requested range and downsampling. Decodes only the points that contribute
 * to a requested average.
 */
export async function readSmoothed(
  snapshot: Snapshot,
  request: { readonly from: bigint | null; readonly smoothing: number },
  list: readonly ScalarSeries[],
  tails: ReadonlyMap<string, SeriesTail>,
  responses: readonly SeriesResult[],
  max = maxPoints,
): Promise<SeriesResult[]> {
  const averages = list.map(() => new MovingAverage(request.smoothing));
  const memory = memoryOf(request.smoothing);
  const plans = responses.map((response) => piecesOf(response, memory));
  const before = request.from === null ? 0 : memory + maxChunkPoints;
  let points = 0;
  const taken = plans.map((pieces) => (points += before + pieces.reduce((sum, piece) => sum + piece.points, 0)) <= max);
  const chosen = list.flatMap((_, i) => (taken[i] ? [i] : []));

  if (request.from !== null) await readPast(snapshot, request.from, { list, tails, averages, chosen, memory });
  const out = [...responses];
  for (const i of chosen) {
    const { content } = responses[i]!;
    if ('points' in content) out[i] = { ...responses[i]!, smoothed: smoothPoints(averages[i]!, content.points.values) };
  }
  const pieces = chosen.flatMap((i) => plans[i]!.map((piece) => ({ ...piece, series: i })));
  const smoothers = new Map(
    chosen.flatMap((i) => {
      const { content } = responses[i]!;
      return 'buckets' in content ? [[i, new BucketSmoother(content.buckets, averages[i]!)] as const] : [];
    }),
  );
  const read = async (group: readonly SeriesPiece[]) => ({
    group,
    bodies: await readEffectiveBodies(
      snapshot,
      group.map(({ series, from, to, limit }): BodyRequest => ({
        seriesId: list[series]!.seriesId,
        from,
        to,
        ...(limit !== null && { limit }),
      })),
      'last',
    ),
  });
  for await (const { group, bodies } of ahead(groupsOf(pieces), read)) {
    const bodiesOf = Map.groupBy(bodies, (body) => body.request);
    for (const [n, piece] of group.entries()) {
      const smoother = smoothers.get(piece.series)!;
      if (piece.limit !== null) smoother.skipTo(piece.from);
      for (const { body } of bodiesOf.get(n) ?? []) {
        const pause = pauseIfLong();
        if (pause) await pause;
        smoother.add(clip(decodeBody(body, buffer).points, piece.from, piece.to));
      }
      const tail = (tails.get(list[piece.series]!.seriesId) ?? noTail).effective;
      smoother.add(clip(tail, piece.from, piece.to));
    }
  }
  for (const [i, smoother] of smoothers) out[i] = { ...responses[i]!, smoothed: smoother.finish() };
  return out;
}

const buffer = newPoints(maxChunkPoints);

/**
 * Neighboring buckets whose points are read at once; with a limit, the last points of a single
 * bucket.
 */
interface Piece {
  readonly from: bigint;
  readonly to: bigint;
  /** Maximum number of points to read, plus the rest of the last chunk; null for all. */
  readonly limit: number | null;
  /** Maximum number of points that are needed. */
  readonly points: number;
}

interface SeriesPiece extends Piece {
  readonly series: number;
}

function piecesOf({ content }: SeriesResult, memory: number): Piece[] {
  if (!('buckets' in content)) return [];
  const { step, lastStep, count } = content.buckets;
  const limit = memory + maxChunkPoints;
  const pieces: Piece[] = [];
  let from = 0;
  let points = 0;
  const end = (to: number): void => {
    if (to > from) pieces.push({ from: stepAt(step, from), to: stepAt(lastStep, to - 1), limit: null, points });
    from = to;
    points = 0;
  };
  for (let b = 0; b < count.length; b++) {
    if (count[b]! > limit + maxChunkPoints) {
      end(b);
      pieces.push({ from: stepAt(step, b), to: stepAt(lastStep, b), limit, points: limit + maxChunkPoints });
      from = b + 1;
      continue;
    }
    if (points + count[b]! > groupPoints) end(b);
    points += count[b]!;
  }
  end(count.length);
  return pieces;
}

function groupsOf(pieces: readonly SeriesPiece[]): SeriesPiece[][] {
  const groups: SeriesPiece[][] = [];
  let points = Infinity;
  for (const piece of pieces) {
    if (points + piece.points > groupPoints) {
      groups.push([]);
      points = 0;
    }
    groups.at(-1)!.push(piece);
    points += piece.points;
  }
  return groups;
}

interface Past {
  readonly list: readonly ScalarSeries[];
  readonly tails: ReadonlyMap<string, SeriesTail>;
  readonly averages: readonly MovingAverage[];
  /** Indices of the series to smooth. */
  readonly chosen: readonly number[];
  readonly memory: number;
}

/** Feeds the averages with the points before the range, as far as they contribute. */
async function readPast(snapshot: Snapshot, from: bigint, past: Past): Promise<void> {
  if (from === minStep) return;
  const { list, tails, averages, chosen, memory } = past;
  const before = { from: minStep, to: from - 1n };
  const each = memory + maxChunkPoints;
  const atOnce = Math.max(1, Math.floor(groupPoints / each));
  const groups = Array.from({ length: Math.ceil(chosen.length / atOnce) }, (_, g) => chosen.slice(g * atOnce, (g + 1) * atOnce));
  const read = async (group: readonly number[]) => ({
    group,
    bodies: await readEffectiveBodies(
      snapshot,
      group.map((i) => ({ seriesId: list[i]!.seriesId, ...before, limit: each })),
      'last',
    ),
  });
  for await (const { group, bodies } of ahead(groups, read)) {
    for (const { request, body } of bodies) {
      const pause = pauseIfLong();
      if (pause) await pause;
      const { values } = clip(decodeBody(body, buffer).points, before.from, before.to);
      averages[group[request]!]!.add(values, 0, values.length);
    }
    for (const i of group) {
      const { values } = clip((tails.get(list[i]!.seriesId) ?? noTail).effective, before.from, before.to);
      averages[i]!.add(values, 0, values.length);
    }
  }
}

function smoothPoints(average: MovingAverage, values: Float64Array): Smoothed {
  const last = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    average.add(values, i, i + 1);
    last[i] = average.at(values[i]!);
  }
  return { first: last, last };
}

/** The averages at the first and the last point of each bucket. Points come with rising steps. */
class BucketSmoother {
  readonly #buckets: Buckets;
  readonly #average: MovingAverage;
  readonly #first: Float64Array;
  readonly #last: Float64Array;
  #bucket = 0;
  /** Whether the points of the bucket have started. */
  #begun = false;

  constructor(buckets: Buckets, average: MovingAverage) {
    this.#buckets = buckets;
    this.#average = average;
    this.#first = new Float64Array(buckets.count.length);
    this.#last = new Float64Array(buckets.count.length);
  }

  /**
   * Skips the points up to here, which do not contribute to later buckets. The first point of the
   * bucket that starts there is known.
   */
  skipTo(step: bigint): void {
    if (this.#bucket < this.#first.length && stepAt(this.#buckets.step, this.#bucket) === step) this.#begin();
    this.#average.reset();
  }

  add({ steps, values }: { readonly steps: BigInt64Array; readonly values: Float64Array }): void {
    let at = 0;
    while (at < steps.length && this.#bucket < this.#first.length) {
      if (!this.#begun) this.#begin();
      const end = firstAbove(steps, at, stepAt(this.#buckets.lastStep, this.#bucket));
      this.#average.add(values, at, end);
      const isEnd = end > at && steps[end - 1] === stepAt(this.#buckets.lastStep, this.#bucket);
      at = end;
      if (!isEnd) return; // the bucket continues in the next points
      this.#last[this.#bucket] = this.#average.at(values[end - 1]!);
      this.#bucket++;
      this.#begun = false;
    }
  }

  finish(): Smoothed {
    return { first: this.#first, last: this.#last };
  }

  #begin(): void {
    this.#first[this.#bucket] = this.#average.after(this.#buckets.first[this.#bucket]!);
    this.#begun = true;
  }
}

function stepAt(column: IntegerColumn, index: number): bigint {
  return BigInt(column[index]!);
}

/** The first index, starting at `from`, with a step above `step`. */
function firstAbove(steps: BigInt64Array, from: number, step: bigint): number {
  let low = from;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (steps[middle]! <= step) low = middle + 1;
    else high = middle;
  }
  return low;
}
