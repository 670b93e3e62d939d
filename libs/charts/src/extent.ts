import { type ChartLine, entriesIn } from './chart-lines.ts';
import { type ScaleKind, spaceOf } from './scale.ts';

/** The two ends of an axis, the smaller one first. */
export interface Extent {
  readonly min: number;
  readonly max: number;
}

/**
 * The range from the lines' first to their last position; null if there is none. Along steps, a
 * bucket starts at its first step, even though it is drawn at its last step. On a logarithmic axis,
 * only positive values have a position.
 */
export function xExtent(lines: readonly ChartLine[], kind: ScaleKind): Extent | null {
  let min = Infinity;
  let max = -Infinity;
  const add = (place: number): void => {
    if (!Number.isFinite(place) || (kind === 'log' && place <= 0)) return;
    if (place < min) min = place;
    if (place > max) max = place;
  };
  for (const { x, series } of lines) {
    // Time positions can decrease or be NaN
    if (x === series.step)
      [series.firstStep[0], x[firstPlaced(x, kind)], x.at(-1), firstPositive(series, kind)].forEach((place) => add(place ?? Number.NaN));
    else x.forEach(add);
  }
  if (min > max) return null;
  return min === max ? around(min) : { min, max };
}

function firstPlaced(x: Float64Array, kind: ScaleKind): number {
  return kind === 'log' ? x.findIndex((place) => place > 0) : 0;
}

/**
 * The first positive step of a bucket that starts before it: known only if the bucket has every
 * step; otherwise NaN.
 */
function firstPositive({ step, firstStep, count }: ChartLine['series'], kind: ScaleKind): number {
  const i = kind === 'log' ? step.findIndex((last) => last > 0) : -1;
  if (i < 0) return Number.NaN;
  return firstStep[i]! > 0 ? firstStep[i]! : count[i] === step[i]! - firstStep[i]! + 1 ? 1 : Number.NaN;
}

/** Which values the visible part of the lines contains. */
export interface YOptions {
  readonly kind: ScaleKind;
  /** Whether to exclude the smallest and the largest 5 % of the values, like TensorBoard. */
  readonly ignoreOutliers: boolean;
  /** Below this magnitude, a symlog axis is nearly linear. */
  readonly threshold: number;
  /** The scale of the x axis. */
  readonly xKind: ScaleKind;
}

/**
 * The smallest and the largest value of all points that the lines represent, with a margin; null if
 * there are none.
 */
export function yExtent(lines: readonly ChartLine[], x: Extent, options: YOptions): Extent | null {
  const { kind, ignoreOutliers, threshold } = options;
  const found = ignoreOutliers ? middleOf(lines, x, options) : wholeOf(lines, x, options);
  if (!found) return null;
  // Interpolation along a constant line may change its last digits
  const isConstant = found.max - found.min <= 16 * Number.EPSILON * Math.max(Math.abs(found.min), Math.abs(found.max));
  if (isConstant) return kind === 'log' ? { min: found.min / 2, max: found.max * 2 } : around(found.min);
  const space = spaceOf(kind, threshold);
  const [low, high] = [space.forward(found.min), space.forward(found.max)];
  const air = (high - low) * 0.05;
  const padded = { min: space.inverse(low - air), max: space.inverse(high + air) };
  return Number.isFinite(padded.max - padded.min) ? padded : found;
}

function wholeOf(lines: readonly ChartLine[], x: Extent, options: YOptions): Extent | null {
  const { kind } = options;
  let min = Infinity;
  let max = -Infinity;
  const add = (value: number): void => {
    if (value < min && isPlaced(value, kind)) min = value;
    if (value > max && isPlaced(value, kind)) max = value;
  };
  for (const line of lines) {
    const { series, band, x: places } = line;
    const { from, to } = entriesIn(places, x.min, x.max);
    crossings(line, x, options).forEach(add);
    // A bucket that extends beyond the axis still shows its value, and a group's band can extend
    // beyond its runs
    const own = series.raw ? [series.value] : [series.low, series.high, series.value];
    // In a part of the x axis, a smoothed line may be beyond the values there
    if (line.smoothed) own.push(line.smoothed);
    for (const column of band === series ? own : [...own, band.low, band.high])
      for (let i = from; i < to; i++) if (places[i]! >= x.min && places[i]! <= x.max) add(column[i]!);
  }
  return min <= max ? { min, max } : null;
}

function middleOf(lines: readonly ChartLine[], x: Extent, options: YOptions): Extent | null {
  const values: number[] = [];
  for (const line of lines) {
    const { y, smoothed, x: places } = line;
    const shown = smoothed ?? y;
    const { from, to } = entriesIn(places, x.min, x.max);
    if (from === to) values.push(...crossings(line, x, options));
    for (let i = from; i < to; i++)
      if (places[i]! >= x.min && places[i]! <= x.max && isPlaced(shown[i]!, options.kind)) values.push(shown[i]!);
  }
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))]!;
  return { min: at(0.05), max: at(0.95) };
}

/**
 * The magnitude below which a symlog axis is linear: the smallest nonzero magnitude, but at most
 * six decades below the largest.
 */
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

/**
 * Values at which a line crosses the edges of the visible part, possibly without a point in
 * between.
 */
function crossings(line: ChartLine, seen: Extent, { kind, threshold, xKind }: YOptions): number[] {
  const { x: places, y, smoothed } = line;
  const shown = smoothed ?? y;
  const [along, up] = [spaceOf(xKind), spaceOf(kind, threshold)];
  const { from, to } = entriesIn(places, seen.min, seen.max);
  const found: number[] = [];
  const cross = (i: number, edge: number): void => {
    const [left, right, at] = [places[i - 1]!, places[i]!, edge].map(along.forward) as [number, number, number];
    const share = (at - left) / (right - left);
    if (!(share > 0 && share < 1)) return;
    const value = up.inverse(up.forward(shown[i - 1]!) * (1 - share) + up.forward(shown[i]!) * share);
    if (isPlaced(value, kind)) found.push(value);
  };
  if (from > 0 && from < places.length) cross(from, seen.min);
  if (to > 0 && to < places.length) cross(to, seen.max);
  return found;
}
