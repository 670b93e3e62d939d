import type { PointColumns } from '#model';
import type { Cells } from './rollup.ts';
import type { ChunkSummary } from './summary.ts';

/**
 * Buckets of the `minmax` sampling (api.md), as columns of equal length, with rising steps. Each
 * row is exact for the points from `step` to `lastStep` (M4: first, last, min and max, and the
 * steps of the extremes).
 */
export interface BucketColumns {
  readonly step: BigInt64Array;
  readonly lastStep: BigInt64Array;
  readonly count: Float64Array;
  /** Values of the first and the last point; can be NaN. */
  readonly first: Float64Array;
  readonly last: Float64Array;
  /** NaN is skipped, infinities count; NaN if every value is NaN. */
  readonly min: Float64Array;
  readonly max: Float64Array;
  /** Step of the earliest point with that value; if every value is NaN, the bucket's first step. */
  readonly minStep: BigInt64Array;
  readonly maxStep: BigInt64Array;
  /** Wall time of the first point. */
  readonly wallTime: Float64Array;
}

/**
 * Lower bounds of at most `buckets` buckets that divide the steps from `from` to `to`, both
 * included. Bucket k has the steps from bounds[k] up to, not including, bounds[k + 1]; the last
 * bucket has the steps up to `to`. If there are fewer steps than buckets, each step has its own
 * bucket. The arithmetic does not overflow (the range may be all of int64), and `width_bucket(step,
 * bounds)` in Postgres gives the same buckets.
 *
 * ```ts
 * assert.deepEqual(bucketBounds(0n, 99n, 4), BigInt64Array.of(0n, 25n, 50n, 75n));
 * assert.equal(bucketBounds(0n, 2n, 100).length, 3); // one per step
 * ```
 */
export function bucketBounds(from: bigint, to: bigint, buckets: number): BigInt64Array {
  if (to < from) return new BigInt64Array(0);
  const span = to - from + 1n;
  const wanted = BigInt(buckets);
  const count = span < wanted ? span : wanted;
  const bounds = new BigInt64Array(Number(count));
  for (let k = 0; k < bounds.length; k++) bounds[k] = from + (BigInt(k) * span) / count;
  return bounds;
}

/**
 * Index of the bucket that contains `step`, by binary search; −1 if `step` is below the first
 * bound.
 */
export function bucketIndex(bounds: BigInt64Array, step: bigint): number {
  return countWhere(bounds, 0, bounds.length, (bound) => bound <= step) - 1;
}

/** The contribution of consecutive points to a bucket. */
interface Part {
  readonly step: bigint;
  readonly lastStep: bigint;
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly min: number;
  readonly max: number;
  readonly minStep: bigint;
  readonly maxStep: bigint;
  readonly wallTime: number;
}

/**
 * Collects effective points of one series into buckets, from any form: points, rollup cells, chunk
 * summaries, or buckets from SQL or another builder. Parts may come in any order; each point must
 * come once. A part belongs to the bucket that contains its first step. Points outside the bounds,
 * and parts that start outside them, are skipped.
 */
export class BucketBuilder {
  readonly #bounds: BigInt64Array;
  readonly #to: bigint;
  readonly #parts: (Part | undefined)[];

  /** `bounds` as from {@link bucketBounds}; `to` is the last step of the last bucket. */
  constructor(bounds: BigInt64Array, to: bigint) {
    this.#bounds = bounds;
    this.#to = to;
    this.#parts = new Array<Part | undefined>(bounds.length);
  }

  /** Adds the points from index `from` up to `to`; their steps strictly rise. */
  addPoints(points: PointColumns, from = 0, to = points.steps.length): void {
    const { steps } = points;
    const lowest = this.#bounds[0];
    if (lowest === undefined) return;
    const end = countWhere(steps, from, to, (step) => step <= this.#to);
    let begin = countWhere(steps, from, end, (step) => step < lowest);
    while (begin < end) {
      const bucket = bucketIndex(this.#bounds, steps[begin]!);
      const next = this.#bounds[bucket + 1];
      const until = next === undefined ? end : firstAtLeast(steps, begin + 1, end, next);
      this.#add(bucket, partOfPoints(points, begin, until));
      begin = until;
    }
  }

  /**
   * Adds whole cells of a chunk, from index `from` up to `to`. `chunk` supplies the steps if the
   * cells have none (its summary is sufficient). Throws RangeError for cells that extend beyond the
   * requested range: add those as points instead.
   */
  addCells(cells: Cells, chunk: { readonly firstStep: bigint; readonly stride: bigint | null }, from = 0, to = cells.first.length): void {
    for (let cell = from; cell < to; cell++) this.#place(partOfCell(cells, chunk, cell));
  }

  /** Adds a whole effective chunk from its summary. */
  addSummary(summary: ChunkSummary): void {
    this.#place({
      step: summary.firstStep,
      lastStep: summary.lastStep,
      count: summary.count,
      first: summary.firstValue,
      last: summary.lastValue,
      min: summary.minValue ?? Number.NaN,
      max: summary.maxValue ?? Number.NaN,
      minStep: summary.minStep ?? summary.firstStep,
      maxStep: summary.maxStep ?? summary.firstStep,
      wallTime: summary.firstWall,
    });
  }

  /** Adds whole buckets with the same or finer bounds. */
  addBuckets(buckets: BucketColumns): void {
    for (let i = 0; i < buckets.step.length; i++) this.#place(partOfBucket(buckets, i));
  }

  /** The buckets with points, in step order. */
  finish(): BucketColumns {
    return columnsOf(this.#parts.filter((part) => part !== undefined));
  }

  #place(part: Part): void {
    const bucket = bucketIndex(this.#bounds, part.step);
    if (bucket < 0 || part.step > this.#to) return;
    if (part.lastStep > this.#to) throw new RangeError(`a part from step ${part.step} to ${part.lastStep} is cut by the end of the range`);
    this.#add(bucket, part);
  }

  #add(bucket: number, part: Part): void {
    const present = this.#parts[bucket];
    this.#parts[bucket] = present === undefined ? part : present.step < part.step ? joinParts(present, part) : joinParts(part, present);
  }
}

/**
 * Joins two parts; `a` starts first, but their points can interleave (a live tail between the
 * chunks of two files).
 */
function joinParts(a: Part, b: Part): Part {
  const minFromB = b.min < a.min || a.min !== a.min || (b.min === a.min && b.minStep < a.minStep);
  const maxFromB = b.max > a.max || a.max !== a.max || (b.max === a.max && b.maxStep < a.maxStep);
  const bHasNumbers = b.min === b.min;
  const lastFromB = b.lastStep > a.lastStep;
  return {
    step: a.step,
    lastStep: lastFromB ? b.lastStep : a.lastStep,
    count: a.count + b.count,
    first: a.first,
    last: lastFromB ? b.last : a.last,
    min: bHasNumbers && minFromB ? b.min : a.min,
    max: bHasNumbers && maxFromB ? b.max : a.max,
    minStep: bHasNumbers && minFromB ? b.minStep : a.minStep,
    maxStep: bHasNumbers && maxFromB ? b.maxStep : a.maxStep,
    wallTime: a.wallTime,
  };
}

function partOfPoints({ steps, wallTimes, values }: PointColumns, from: number, to: number): Part {
  let min = Number.NaN;
  let max = Number.NaN;
  let minAt = from;
  let maxAt = from;
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    if (value !== value) continue;
    // Negated, so that the first number replaces NaN.
    if (!(value >= min)) {
      min = value;
      minAt = i;
    }
    if (!(value <= max)) {
      max = value;
      maxAt = i;
    }
  }
  return {
    step: steps[from]!,
    lastStep: steps[to - 1]!,
    count: to - from,
    first: values[from]!,
    last: values[to - 1]!,
    min,
    max,
    minStep: steps[minAt]!,
    maxStep: steps[maxAt]!,
    wallTime: wallTimes[from]!,
  };
}

function partOfCell(cells: Cells, chunk: { readonly firstStep: bigint; readonly stride: bigint | null }, cell: number): Part {
  const begin = cell * cells.cellPoints;
  const count = Math.min(cells.cellPoints, cells.count - begin);
  const values = {
    first: cells.first[cell]!,
    last: cells.last[cell]!,
    min: cells.min[cell]!,
    max: cells.max[cell]!,
    wallTime: cells.wall[cell]!,
  };
  if (cells.firstStep && cells.lastStep && cells.minStep && cells.maxStep) {
    return {
      ...values,
      count,
      step: cells.firstStep[cell]!,
      lastStep: cells.lastStep[cell]!,
      minStep: cells.minStep[cell]!,
      maxStep: cells.maxStep[cell]!,
    };
  }
  const { firstStep, stride } = chunk;
  if (stride === null) throw new RangeError('cells without steps need the stride of their chunk');
  const stepAt = (index: number): bigint => firstStep + stride * BigInt(index);
  return {
    ...values,
    count,
    step: stepAt(begin),
    lastStep: stepAt(begin + count - 1),
    minStep: stepAt(begin + cells.minAt![cell]!),
    maxStep: stepAt(begin + cells.maxAt![cell]!),
  };
}

function partOfBucket(buckets: BucketColumns, i: number): Part {
  return {
    step: buckets.step[i]!,
    lastStep: buckets.lastStep[i]!,
    count: buckets.count[i]!,
    first: buckets.first[i]!,
    last: buckets.last[i]!,
    min: buckets.min[i]!,
    max: buckets.max[i]!,
    minStep: buckets.minStep[i]!,
    maxStep: buckets.maxStep[i]!,
    wallTime: buckets.wallTime[i]!,
  };
}

function columnsOf(parts: readonly Part[]): BucketColumns {
  const int64 = (of: (part: Part) => bigint): BigInt64Array => BigInt64Array.from(parts, of);
  const float64 = (of: (part: Part) => number): Float64Array => Float64Array.from(parts, of);
  return {
    step: int64((part) => part.step),
    lastStep: int64((part) => part.lastStep),
    count: float64((part) => part.count),
    first: float64((part) => part.first),
    last: float64((part) => part.last),
    min: float64((part) => part.min),
    max: float64((part) => part.max),
    minStep: int64((part) => part.minStep),
    maxStep: int64((part) => part.maxStep),
    wallTime: float64((part) => part.wallTime),
  };
}

/**
 * The first index, starting at `from`, with a step that is not below `bound`. A bucket's steps are
 * close together, so the search doubles its stride.
 */
function firstAtLeast(steps: BigInt64Array, from: number, to: number, bound: bigint): number {
  let reach = 1;
  let low = from;
  while (low + reach < to && steps[low + reach]! < bound) {
    low += reach;
    reach *= 2;
  }
  return countWhere(steps, low, Math.min(low + reach + 1, to), (step) => step < bound);
}

/**
 * Binary search: `from` plus the number of elements in [from, to) for which `holds` is true; these
 * elements come first.
 */
function countWhere(column: BigInt64Array, from: number, to: number, holds: (element: bigint) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(column[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}
