import type { Extent } from '#charts';
import type { TensorJson, TensorSeries } from '../values.ts';

/** A bin as logged. */
export interface Bin {
  readonly left: number;
  readonly right: number;
  readonly count: number;
}

/**
 * The bins of one step, in ascending order. Omits bins without a position (NaN), and bins with
 * neither width nor count.
 */
export interface Histogram {
  readonly step: number | string;
  readonly bins: readonly Bin[];
  readonly total: number;
}

/**
 * Reads a tensor of shape `[bins, 3]`: left edge, right edge, count. An edge that represents
 * infinity (1.8e308 in old writers) is replaced by the adjacent known edge.
 */
export function readHistogram(step: number | string, { data }: TensorJson): Histogram {
  const bins: Bin[] = [];
  for (let i = 0; i + 2 < data.length; i += 3) {
    let [left, right] = [Number(data[i]), Number(data[i + 1])];
    const count = Number(data[i + 2]);
    if (Math.abs(left) > hugest) left = right;
    if (Math.abs(right) > hugest) right = left;
    if (right < left) [left, right] = [right, left];
    if (!(Math.abs(left) <= hugest && Math.abs(right) <= hugest && count >= 0)) continue;
    if (left === right && count === 0) continue;
    bins.push({ left, right, count });
  }
  return { step, bins, total: bins.reduce((sum, { count }) => sum + count, 0) };
}

const hugest = 1e300;

const known = new WeakMap<TensorSeries, readonly Histogram[]>();

/** The histograms of a series, each parsed only once. */
export function histogramsOf(series: TensorSeries): readonly Histogram[] {
  const found = known.get(series) ?? series.columns.step.map((step, i) => readHistogram(step, series.columns.value[i]!));
  known.set(series, found);
  return found;
}

/** The range from the smallest to the largest edge; null if there are no bins. */
export function edgesOf(list: readonly Histogram[]): Extent | null {
  let min = Infinity;
  let max = -Infinity;
  for (const { bins } of list)
    for (const { left, right } of bins) {
      if (left < min) min = left;
      if (right > max) max = right;
    }
  if (min > max) return null;
  const air = min === max ? Math.max(1e-12, Math.abs(min) * 0.1) : 0;
  return { min: min - air, max: max + air };
}

/**
 * Fractions of the values, as in TensorBoard's distributions: the extremes, the median, and the
 * fractions at 0.5, 1 and 1.5 standard deviations of a normal distribution.
 */
export const shares = [0, 0.0668, 0.1587, 0.3085, 0.5, 0.6915, 0.8413, 0.9332, 1] as const;

/**
 * The values below which these fractions lie, interpolated inside each bin; null if there are no
 * values.
 */
export function percentilesOf({ bins, total }: Histogram): number[] | null {
  if (total <= 0) return null;
  return shares.map((share) => {
    const wanted = share * total;
    let below = 0;
    let last = 0;
    for (const { left, right, count } of bins) {
      if (count === 0) continue;
      last = right;
      if (below + count >= wanted) return left + ((right - left) * (wanted - below)) / count;
      below += count;
    }
    return last;
  });
}

/**
 * The bin at a value: the bin that contains it, or else the nearest nonempty bin at most `reach`
 * away. Null if there is none.
 */
export function binAt({ bins }: Histogram, value: number, reach: number): Bin | null {
  let nearest: Bin | null = null;
  let min = reach;
  let holder: Bin | null = null;
  for (const bin of bins) {
    const away = Math.max(bin.left - value, value - bin.right, 0);
    if (away === 0) {
      if (!holder || holder.count === 0 || (bin.count > 0 && bin.left === bin.right)) holder = bin;
    } else if (bin.count > 0 && away <= min) {
      min = away;
      nearest = bin;
    }
  }
  return holder && holder.count > 0 ? holder : (nearest ?? holder);
}
