import { bucketBounds, bucketIndex, lowerBound } from '#chunks';
import type { PointColumns } from '#model';

/** One bucket, computed from all of its points. */
export interface NaiveBucket {
  readonly step: bigint;
  readonly last_step: bigint;
  readonly count: number;
  readonly first: number;
  readonly last: number;
  readonly min: number;
  readonly max: number;
  readonly min_step: bigint;
  readonly max_step: bigint;
  readonly wall_time: number;
  readonly nan_count: number;
  readonly inf_count: number;
  readonly neg_inf_count: number;
}

/**
 * The expected bucket for the steps from `from` to `to`, computed from the points; null if there
 * are none.
 */
export function bucketFrom(points: PointColumns, from: bigint, to: bigint): NaiveBucket | null {
  const begin = lowerBound(points.steps, from);
  const indices: number[] = [];
  for (let i = begin; i < points.steps.length && points.steps[i]! <= to; i++) indices.push(i);
  if (indices.length === 0) return null;
  const first = indices[0]!;
  const last = indices.at(-1)!;
  const numbers = indices.filter((i) => !Number.isNaN(points.values[i]));
  const best = (better: (a: number, b: number) => boolean): number =>
    numbers.reduce((kept, i) => (better(points.values[i]!, points.values[kept]!) ? i : kept), numbers[0] ?? first);
  const min = best((a, b) => a < b);
  const max = best((a, b) => a > b);
  return {
    step: points.steps[first]!,
    last_step: points.steps[last]!,
    count: indices.length,
    first: points.values[first]!,
    last: points.values[last]!,
    min: points.values[min]!,
    max: points.values[max]!,
    min_step: points.steps[min]!,
    max_step: points.steps[max]!,
    wall_time: points.wallTimes[first]!,
    nan_count: indices.length - numbers.length,
    inf_count: indices.filter((i) => points.values[i] === Infinity).length,
    neg_inf_count: indices.filter((i) => points.values[i] === -Infinity).length,
  };
}

/**
 * Returns a function that finds the bucket of a step when `from` to `to` is divided into at most
 * `buckets`.
 */
export function naiveBuckets(from: bigint, to: bigint, buckets: number): (step: bigint) => number {
  const bounds = bucketBounds(from, to, buckets);
  return (step) => bucketIndex(bounds, step);
}
