import { bucketBounds } from '#chunks';
import { isSafeStep } from './steps.ts';

/** The buckets of one tag (or of a whole request), shared by all its runs, so that curves align. */
export interface SharedBuckets {
  readonly from: bigint;
  readonly to: bigint;
  /**
   * First step of each bucket; a bucket ends before the next one starts, the last one at `to`.
   * Stored as numbers if all of them are exact.
   */
  readonly bounds: Float64Array | BigInt64Array;
}

/**
 * Divides the steps from `from` to `to`, both included, into at most `points` buckets. If there are
 * fewer steps, each has its own bucket. The bounds are the same as those of `bucketBounds` in
 * #chunks, but computed with number arithmetic as long as products are exact.
 */
export function shareBuckets(from: bigint, to: bigint, points: number): SharedBuckets {
  const span = to - from + 1n;
  const count = span < BigInt(points) ? Number(span) : points;
  if (span <= 0n) return { from, to, bounds: new Float64Array(0) };
  if (!isSafeStep(from) || !isSafeStep(to) || span * BigInt(count) > BigInt(Number.MAX_SAFE_INTEGER)) {
    const bounds = bucketBounds(from, to, points);
    return { from, to, bounds: isSafeStep(from) && isSafeStep(to) ? Float64Array.from(bounds, Number) : bounds };
  }
  const bounds = new Float64Array(count);
  const first = Number(from);
  const steps = Number(span);
  for (let k = 0; k < count; k++) bounds[k] = first + Math.floor((k * steps) / count);
  return { from, to, bounds };
}

/**
 * At most `points` buckets that start at steps of the grid, the first one at `from`: each cell that
 * starts on the grid is completely in one bucket. There can be only half as many buckets as
 * possible. Null if number arithmetic would be inexact, or if the grid is not coarser than a
 * bucket.
 */
export function gridBuckets(
  from: bigint,
  to: bigint,
  points: number,
  { origin, width }: { readonly origin: bigint; readonly width: bigint },
): SharedBuckets | null {
  const span = to - from;
  if (span < BigInt(points) || ![from, to, origin, width, from - origin, to - origin].every(isSafeStep)) return null;
  const [low, high, cell] = [Number(from - origin), Number(to - origin), Number(width)];
  const bucketsOf = (size: number): number => Math.floor(high / size) - Math.floor(low / size) + 1;
  let cells = Math.max(1, Math.floor((high - low) / cell / points));
  while (bucketsOf(cells * cell) > points) cells++;
  const size = cells * cell;
  const count = bucketsOf(size);
  const bounds = new Float64Array(count);
  const first = Math.floor(low / size);
  for (let k = 0; k < count; k++) bounds[k] = Number(origin) + (first + k) * size;
  bounds[0] = Number(from);
  return { from, to, bounds };
}
