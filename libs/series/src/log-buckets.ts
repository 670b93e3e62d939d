import type { SharedBuckets } from './bucket-range.ts';
import { isSafeStep } from './steps.ts';

/**
 * Divides the steps from `from` to `to`, both included, into at most `points` buckets of equal
 * width on a logarithmic axis, as far as whole steps allow. Near 0, each step has its own bucket.
 * Negative steps are divided like positive ones, and 0 has its own bucket.
 */
export function logBuckets(from: bigint, to: bigint, points: number): SharedBuckets {
  if (to < from) return { from, to, bounds: new Float64Array(0) };
  const [low, high] = [Number(from), Number(to)];
  const decadesBelow = low < 0 ? Math.log10(-low) - Math.log10(Math.max(1, -high)) + 1 : 0;
  const decadesAbove = high > 0 ? Math.log10(high) - Math.log10(Math.max(1, low)) + 1 : 0;
  const zero = low <= 0 && high >= 0 ? 1 : 0;
  const below = decadesBelow > 0 ? Math.max(1, Math.round(((points - zero) * decadesBelow) / (decadesBelow + decadesAbove))) : 0;
  const above = Math.max(1, points - zero - below);
  const found = [
    ...(below > 0 ? firstStepsBelow(Math.max(1, -high), -low, below) : []),
    ...(zero ? [0] : []),
    ...(high > 0 ? firstSteps(Math.max(1, low), high, above) : []),
  ];
  const bounds = found.slice(0, points);
  const isSafe = isSafeStep(from) && isSafeStep(to);
  if (isSafe) return { from, to, bounds: Float64Array.from([low, ...bounds.filter((bound) => bound > low)]).subarray(0, points) };
  const wide = [from, ...bounds.map(BigInt).filter((bound) => bound > from && bound <= to)];
  return { from, to, bounds: BigInt64Array.from(wide.slice(0, points)) };
}

/** First steps of at most `count` buckets, starting at the positive step `low`. */
function firstSteps(low: number, high: number, count: number): number[] {
  const steps = [low];
  for (let left = count; left > 1; left--) {
    const last = steps.at(-1)!;
    // Divides the rest evenly again, because earlier buckets can be too wide due to whole steps
    const next = Math.max(last + 1, Math.ceil(last * ((high + 1) / last) ** (1 / left)));
    if (!(next <= high && next > last)) break;
    steps.push(next);
  }
  return steps;
}

/**
 * Like {@link firstSteps}, for the magnitudes of negative steps, largest first: a bucket starts
 * where the next bucket of magnitudes has ended.
 */
function firstStepsBelow(low: number, high: number, count: number): number[] {
  const sizes = firstSteps(low, high, count);
  return sizes.map((_, i) => (i + 1 < sizes.length ? 1 - sizes[i + 1]! : -high)).toReversed();
}
