import { type ChartLine, firstAtOrAfter } from './chart-lines.ts';
import { type ScaleKind, spaceOf } from './scale.ts';

/** Two ends of an axis, the smaller one first. */
export interface Extent {
  readonly min: number;
  readonly max: number;
}

/**
 * From the first to the last place of the lines; null without one. Along steps a bucket begins at its first one, though it is drawn at its last. On a
 * logarithmic axis only what is above 0 has a place.
 */
export function xExtent(lines: readonly ChartLine[], kind: ScaleKind): Extent | null {
  let min = Infinity;
  let max = -Infinity;
  for (const { x, series } of lines) {
    const first = kind === 'log' ? firstAtOrAfter(x, Number.MIN_VALUE) : 0;
    if (first >= x.length) continue;
    const begin = x === series.step ? series.firstStep[first]! : x[first]!;
    min = Math.min(min, kind === 'log' && begin <= 0 ? x[first]! : begin);
    max = Math.max(max, x[x.length - 1]!);
  }
  if (min > max) return null;
  return min === max ? around(min) : { min, max };
}

/** Which values lie in the part of the lines that is seen. */
export interface YOptions {
  readonly kind: ScaleKind;
  /** Leave out the smallest and the largest twentieth of the values, as TensorBoard does. */
  readonly ignoreOutliers: boolean;
  /** Below this magnitude a symlog axis is nearly linear. */
  readonly threshold: number;
}

/** The smallest and the largest value, of all points that the lines stand for, with some air; null without one. */
export function yExtent(lines: readonly ChartLine[], x: Extent, { kind, ignoreOutliers, threshold }: YOptions): Extent | null {
  const found = ignoreOutliers ? middleOf(lines, x, kind) : wholeOf(lines, x, kind);
  if (!found) return null;
  if (found.min === found.max) return kind === 'log' ? { min: found.min / 2, max: found.max * 2 } : around(found.min);
  const space = spaceOf(kind, threshold);
  const [low, high] = [space.forward(found.min), space.forward(found.max)];
  const air = (high - low) * 0.05;
  const padded = { min: space.inverse(low - air), max: space.inverse(high + air) };
  return Number.isFinite(padded.max - padded.min) ? padded : found;
}

function wholeOf(lines: readonly ChartLine[], x: Extent, kind: ScaleKind): Extent | null {
  let min = Infinity;
  let max = -Infinity;
  for (const { series, band, x: places } of lines) {
    const from = firstAtOrAfter(places, x.min);
    const to = firstAfter(places, x.max);
    // A bucket that reaches beyond the axis still shows its value, and a group's band may reach beyond what its runs do
    const own = series.raw ? [series.value] : [series.low, series.high, series.value];
    for (const column of band === series ? own : [...own, band.low, band.high])
      for (let i = from; i < to; i++) {
        const value = column[i]!;
        if (value < min && isPlaced(value, kind)) min = value;
        if (value > max && isPlaced(value, kind)) max = value;
      }
  }
  return min <= max ? { min, max } : null;
}

function middleOf(lines: readonly ChartLine[], x: Extent, kind: ScaleKind): Extent | null {
  const values: number[] = [];
  for (const { y, smoothed, x: places } of lines) {
    const shown = smoothed ?? y;
    const to = firstAfter(places, x.max);
    for (let i = firstAtOrAfter(places, x.min); i < to; i++) if (isPlaced(shown[i]!, kind)) values.push(shown[i]!);
  }
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))]!;
  return { min: at(0.05), max: at(0.95) };
}

/** The magnitude below which a symlog axis is linear: that of the smallest value that is not 0, and at most six decades below the largest. */
export function symlogThreshold(lines: readonly ChartLine[]): number {
  let smallest = Infinity;
  let largest = 0;
  for (const { y } of lines)
    for (const value of y) {
      const size = Math.abs(value);
      if (size > 0 && size < smallest) smallest = size;
      if (size > largest && size < Infinity) largest = size;
    }
  return largest === 0 ? 1 : 10 ** Math.floor(Math.log10(Math.max(smallest, largest / 1e6)));
}

function around(value: number): Extent {
  const air = value === 0 ? 1 : Math.abs(value) * 0.1;
  return { min: value - air, max: value + air };
}

function isPlaced(value: number, kind: ScaleKind): boolean {
  return Number.isFinite(value) && (kind !== 'log' || value > 0);
}

/** The first place beyond `x`. */
export function firstAfter(places: Float64Array, x: number): number {
  const at = firstAtOrAfter(places, x);
  return at < places.length && places[at] === x ? at + 1 : at;
}
