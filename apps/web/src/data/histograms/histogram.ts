import type { TensorJson } from '../values.ts';

/** A bin as it was logged: never merged into others. */
export interface Bin {
  readonly left: number;
  readonly right: number;
  readonly count: number;
}

/** The bins of one step, rising; those without a place (NaN) or without width and count are left out. */
export interface Histogram {
  readonly step: number | string;
  readonly bins: readonly Bin[];
  readonly total: number;
}

/** Reads a tensor of shape `[bins, 3]`: left edge, right edge, count. Edges that stand for infinity (1.8e308 of old writers) end at what is known beside them. */
export function readHistogram(step: number | string, { data }: TensorJson): Histogram {
  const bins: Bin[] = [];
  for (let i = 0; i + 2 < data.length; i += 3) {
    let [left, right] = [Number(data[i]), Number(data[i + 1])];
    const count = Number(data[i + 2]);
    if (Math.abs(left) > hugest) left = right;
    if (Math.abs(right) > hugest) right = left;
    if (!(Math.abs(left) <= hugest && Math.abs(right) <= hugest && count >= 0)) continue;
    if (left === right && count === 0) continue;
    bins.push({ left, right, count });
  }
  return { step, bins, total: bins.reduce((sum, { count }) => sum + count, 0) };
}

const hugest = 1e300;

/** Values in each unit of the axis: what makes bins of different widths comparable. A bin without width is as wide as `least`. */
export function densityOf({ left, right, count }: Bin, least: number): number {
  return count / Math.max(right - left, least);
}

/** The largest of all bins; 1 without a bin that has anything. */
export function densestOf(list: readonly Histogram[], least: number): number {
  let densest = 0;
  for (const { bins } of list) for (const bin of bins) densest = Math.max(densest, densityOf(bin, least));
  return densest || 1;
}

/** From the smallest to the largest edge; null without a bin. */
export function edgesOf(list: readonly Histogram[]): { readonly min: number; readonly max: number } | null {
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

/** Shares of the values, as TensorBoard's distributions have them: the middle, and one, one and a half, and two and a bit deviations of a normal one. */
export const shares = [0, 0.0668, 0.1587, 0.3085, 0.5, 0.6915, 0.8413, 0.9332, 1] as const;

/** The values below which these shares lie, inside of a bin in proportion; null without values. */
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
