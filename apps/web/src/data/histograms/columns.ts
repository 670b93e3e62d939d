import type { Bin } from './histogram.ts';

/**
 * The shape of one histogram along a pixel axis: adjacent columns that together contain every
 * count.
 */
export interface Columns {
  /** Edges in pixels, in ascending order; one more than `counts`. */
  readonly edges: Float64Array;
  /** Number of values in each column. Their sum is the histogram's total. */
  readonly counts: Float64Array;
}

/** The range of values on the axis, and the axis width in pixels. */
export interface BinAxis {
  readonly min: number;
  readonly max: number;
  readonly width: number;
}

/** Minimum width of a column, in pixels. */
const minWidth = 4;
/**
 * Minimum number of columns into which narrow bins are summed. TensorBoard uses this number for all
 * bins.
 */
const fewestColumns = 30;

/**
 * Sums bins into columns that are wide enough to see. A wide bin becomes a separate column between
 * its own edges. Narrow neighbors share columns: each column gets the fraction of each bin that
 * overlaps it, and all of a zero-width bin. If bins overlap, they share columns everywhere. The
 * fewer values there are, the wider the shared columns: in narrow columns, most of the height is
 * noise, and a normal distribution looks like a saw.
 */
export function columnsOf(bins: readonly Bin[], axis: BinAxis): Columns {
  const placed = bins.map(({ left, right, count }) => ({ left: pixelOf(left, axis), right: pixelOf(right, axis), count }));
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  const shared = Math.max(minWidth, axis.width / Math.max(fewestColumns, 2 * Math.cbrt(total))); // Rice's rule
  const intervals = intervalsOf(placed, axis.width, areEven(placed) ? minWidth : shared);
  if (intervals) widenNarrow(intervals);
  const edges = edgesOf(intervals ?? [{ from: 0, to: axis.width, wide: false, filled: true }], shared);
  const counts = new Float64Array(edges.length - 1);
  for (const bin of placed) spread(bin, edges, counts);
  return { edges, counts };
}

/** Whether all bins have the same width, which means that their writer chose the resolution. */
function areEven(bins: readonly Bin[]): boolean {
  const [first] = bins;
  return first !== undefined && bins.every(({ left, right }) => Math.abs(right - left - (first.right - first.left)) < 0.01);
}

/** The largest number of values per pixel; 0 if there are none. */
export function densestColumn({ edges, counts }: Columns): number {
  let densest = 0;
  for (let i = 0; i < counts.length; i++) densest = Math.max(densest, counts[i]! / (edges[i + 1]! - edges[i]!));
  return densest;
}

/** Index of the column at a pixel. Outside the axis, the nearest column. */
export function columnAt({ edges, counts }: Columns, pixel: number): number {
  let low = 0;
  let high = counts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (edges[middle]! <= pixel) low = middle;
    else high = middle - 1;
  }
  return low;
}

function pixelOf(value: number, { min, max, width }: BinAxis): number {
  // Halved, because the length of the axis may exceed the range of floating-point numbers
  return Math.min(width, Math.max(0, ((value / 2 - min / 2) / (max / 2 - min / 2)) * width));
}

/** A part of the axis: a wide bin or gap, or several adjacent narrow ones. */
interface Interval {
  from: number;
  to: number;
  readonly wide: boolean;
  /** Whether the part contains any values. */
  filled: boolean;
}

/**
 * Divides the axis from 0 to `width` into parts. Null if bins overlap. `wideFrom`: the minimum
 * width, in pixels, of a bin or gap that becomes a separate part.
 */
function intervalsOf(bins: readonly Bin[], width: number, wideFrom: number): Interval[] | null {
  const list: Interval[] = [];
  const add = (from: number, to: number, filled: boolean): void => {
    const last = list.at(-1);
    const wide = to - from >= wideFrom;
    if (last && !wide && !last.wide) {
      last.to = to;
      last.filled ||= filled;
    } else if (to > from || filled) list.push({ from, to, wide, filled });
  };
  let end = 0;
  for (const { left, right, count } of bins) {
    if (left < end - 1e-6) return null;
    add(end, Math.max(end, left), false);
    add(Math.max(end, left), Math.max(end, right), count > 0);
    end = Math.max(end, right);
  }
  add(end, width, false);
  return list;
}

/**
 * Widens values between two wide neighbors to a full column. Otherwise a zero-width bin would be a
 * line of arbitrary height.
 */
function widenNarrow(intervals: readonly Interval[]): void {
  intervals.forEach((interval, i) => {
    const missing = minWidth - (interval.to - interval.from);
    if (interval.wide || !interval.filled || missing <= 0) return;
    const [before, after] = [intervals[i - 1], intervals[i + 1]];
    const spare = (one: Interval | undefined): number => (one ? Math.max(0, one.to - one.from - minWidth / 2) : 0);
    const left = Math.min(spare(before), Math.max(missing / 2, missing - spare(after)));
    const right = Math.min(spare(after), missing - left);
    interval.from -= left;
    interval.to += right;
    if (before) before.to = interval.from;
    if (after) after.from = interval.to;
  });
}

/**
 * Edges in ascending order: the edges of the wide parts, and evenly spaced edges inside the narrow
 * parts.
 */
function edgesOf(intervals: readonly Interval[], columnWidth: number): Float64Array {
  const edges: number[] = [intervals[0]?.from ?? 0];
  for (const { from, to, wide } of intervals) {
    const parts = wide ? 1 : Math.max(1, Math.floor((to - from) / columnWidth));
    for (let part = 1; part <= parts; part++) {
      const edge = part === parts ? to : from + ((to - from) * part) / parts;
      if (edge > edges.at(-1)!) edges.push(edge);
    }
  }
  return Float64Array.from(edges);
}

/** Adds to each column the fraction of the bin that overlaps it. */
function spread({ left, right, count }: Bin, edges: Float64Array, counts: Float64Array): void {
  if (counts.length === 0 || count === 0) return;
  const first = columnAt({ edges, counts }, left);
  if (right <= edges[first + 1]! || first === counts.length - 1) {
    counts[first]! += count;
    return;
  }
  for (let i = first; i < counts.length && edges[i]! < right; i++)
    counts[i]! += (count * (Math.min(right, edges[i + 1]!) - Math.max(left, edges[i]!))) / (right - left);
}
