import { BucketBuilder, lowerBound } from '#chunks';
import type { PointColumns } from '#model';
import type { BucketPieces } from '#store';
import type { SharedBuckets } from './bucket-range.ts';
import type { IntegerColumn } from './json-numbers.ts';
import { narrowSteps, stepNumbers, wideSteps } from './steps.ts';

/**
 * The non-empty buckets of one series, with rising steps; see `BucketColumns` in #chunks for the
 * columns.
 */
export interface Buckets {
  readonly step: IntegerColumn;
  readonly lastStep: IntegerColumn;
  readonly count: Float64Array;
  readonly first: Float64Array;
  readonly last: Float64Array;
  readonly min: Float64Array;
  readonly max: Float64Array;
  readonly minStep: IntegerColumn;
  readonly maxStep: IntegerColumn;
  readonly wallTime: Float64Array;
}

/**
 * Merges buckets from SQL and decoded points into the buckets of one series. Each point must come
 * once.
 */
export interface BucketSink {
  /** Adds points with rising steps; points outside the range are skipped. */
  addPoints(points: PointColumns): void;
  /** Adds pieces that lie completely in the range. */
  addPieces(pieces: BucketPieces): void;
  finish(): Buckets;
}

/**
 * The sink for these buckets: on numbers if all steps are exact as numbers, otherwise on BigInt.
 */
export function bucketSink(buckets: SharedBuckets): BucketSink {
  return buckets.bounds instanceof Float64Array ? new NumberBuckets(buckets, buckets.bounds) : new WideBuckets(buckets, buckets.bounds);
}

/** Steps beyond 2^53: the reference implementation of #chunks. */
class WideBuckets implements BucketSink {
  readonly #builder: BucketBuilder;

  constructor(buckets: SharedBuckets, bounds: BigInt64Array) {
    this.#builder = new BucketBuilder(bounds, buckets.to);
  }

  addPoints(points: PointColumns): void {
    this.#builder.addPoints(points);
  }

  addPieces(pieces: BucketPieces): void {
    const { step, lastStep, minStep, maxStep } = pieces;
    this.#builder.addBuckets({
      ...pieces,
      step: wideSteps(step),
      lastStep: wideSteps(lastStep),
      minStep: wideSteps(minStep),
      maxStep: wideSteps(maxStep),
    });
  }

  finish(): Buckets {
    return this.#builder.finish();
  }
}

/**
 * The same computation on float64 columns, without an object or a BigInt per point: 20 runs of
 * 5,000 points take 2 ms instead of 25 ms.
 */
class NumberBuckets implements BucketSink {
  readonly #buckets: SharedBuckets;
  readonly #bounds: Float64Array;
  readonly #step: Float64Array;
  readonly #lastStep: Float64Array;
  readonly #count: Float64Array;
  readonly #first: Float64Array;
  readonly #last: Float64Array;
  readonly #min: Float64Array;
  readonly #max: Float64Array;
  readonly #minStep: Float64Array;
  readonly #maxStep: Float64Array;
  readonly #wallTime: Float64Array;

  constructor(buckets: SharedBuckets, bounds: Float64Array) {
    this.#buckets = buckets;
    this.#bounds = bounds;
    const column = (): Float64Array => new Float64Array(bounds.length);
    this.#step = column();
    this.#lastStep = column();
    this.#count = column();
    this.#first = column();
    this.#last = column();
    this.#min = column();
    this.#max = column();
    this.#minStep = column();
    this.#maxStep = column();
    this.#wallTime = column();
  }

  addPoints({ steps, wallTimes, values }: PointColumns): void {
    const bounds = this.#bounds;
    const begin = lowerBound(steps, this.#buckets.from);
    const end = this.#buckets.to === steps[steps.length - 1] ? steps.length : lowerBound(steps, this.#buckets.to + 1n);
    if (begin >= end) return;
    const numbers = stepNumbers(steps.subarray(begin, end));
    let bucket = bucketOf(bounds, numbers[0]!);
    for (let i = begin; i < end;) {
      while (bucket + 1 < bounds.length && bounds[bucket + 1]! <= numbers[i - begin]!) bucket++;
      const limit = bucket + 1 < bounds.length ? bounds[bucket + 1]! : Infinity;
      const from = i;
      let min = Number.NaN;
      let max = Number.NaN;
      let minAt = from;
      let maxAt = from;
      for (; i < end && numbers[i - begin]! < limit; i++) {
        const value = values[i]!;
        // Negated, so that the first number replaces NaN.
        if (!(value >= min) && value === value) {
          min = value;
          minAt = i;
        }
        if (!(value <= max) && value === value) {
          max = value;
          maxAt = i;
        }
      }
      this.#add(
        bucket,
        numbers[from - begin]!,
        numbers[i - 1 - begin]!,
        i - from,
        values[from]!,
        values[i - 1]!,
        min,
        max,
        numbers[minAt - begin]!,
        numbers[maxAt - begin]!,
        wallTimes[from]!,
      );
    }
  }

  addPieces(pieces: BucketPieces): void {
    const step = stepNumbers(pieces.step);
    const lastStep = stepNumbers(pieces.lastStep);
    const minStep = stepNumbers(pieces.minStep);
    const maxStep = stepNumbers(pieces.maxStep);
    const { count, first, last, min, max, wallTime } = pieces;
    for (let i = 0; i < step.length; i++) {
      this.#add(
        bucketOf(this.#bounds, step[i]!),
        step[i]!,
        lastStep[i]!,
        count[i]!,
        first[i]!,
        last[i]!,
        min[i]!,
        max[i]!,
        minStep[i]!,
        maxStep[i]!,
        wallTime[i]!,
      );
    }
  }

  #add(
    b: number,
    step: number,
    lastStep: number,
    count: number,
    first: number,
    last: number,
    min: number,
    max: number,
    minStep: number,
    maxStep: number,
    wallTime: number,
  ): void {
    const empty = this.#count[b] === 0;
    this.#count[b]! += count;
    if (empty || step < this.#step[b]!) {
      this.#step[b] = step;
      this.#first[b] = first;
      this.#wallTime[b] = wallTime;
    }
    if (empty || lastStep > this.#lastStep[b]!) {
      this.#lastStep[b] = lastStep;
      this.#last[b] = last;
    }
    const allNaN = min !== min;
    if (empty) {
      this.#min[b] = min;
      this.#max[b] = max;
      this.#minStep[b] = minStep;
      this.#maxStep[b] = maxStep;
    } else if (!allNaN) {
      const present = this.#min[b]!;
      if (present !== present || min < present || (min === present && minStep < this.#minStep[b]!)) {
        this.#min[b] = min;
        this.#minStep[b] = minStep;
      }
      const largest = this.#max[b]!;
      if (largest !== largest || max > largest || (max === largest && maxStep < this.#maxStep[b]!)) {
        this.#max[b] = max;
        this.#maxStep[b] = maxStep;
      }
    } else if (this.#min[b] !== this.#min[b] && minStep < this.#minStep[b]!) {
      this.#minStep[b] = minStep;
      this.#maxStep[b] = maxStep;
    }
  }

  finish(): Buckets {
    const count = this.#count;
    let filled = 0;
    for (let b = 0; b < count.length; b++) if (count[b]! > 0) filled++;
    const keep = (column: Float64Array): Float64Array => {
      if (filled === column.length) return column;
      const out = new Float64Array(filled);
      for (let b = 0, to = 0; b < column.length; b++) if (count[b]! > 0) out[to++] = column[b]!;
      return out;
    };
    return {
      step: keep(this.#step),
      lastStep: keep(this.#lastStep),
      count: keep(count),
      first: keep(this.#first),
      last: keep(this.#last),
      min: keep(this.#min),
      max: keep(this.#max),
      minStep: keep(this.#minStep),
      maxStep: keep(this.#maxStep),
      wallTime: keep(this.#wallTime),
    };
  }
}

function bucketOf(bounds: Float64Array, step: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bounds[middle]! <= step) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * Points as buckets of one point each, to represent a series with few points in a table of buckets.
 */
export function pointsAsBuckets(points: PointColumns): Buckets {
  const step = narrowSteps(points.steps);
  const { values } = points;
  return {
    step,
    lastStep: step,
    count: new Float64Array(values.length).fill(1),
    first: values,
    last: values,
    min: values,
    max: values,
    minStep: step,
    maxStep: step,
    wallTime: points.wallTimes,
  };
}
