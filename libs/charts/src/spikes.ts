import type { ChartLine } from './chart-lines.ts';
import { shownValues } from './chart-lines.ts';
import type { PathSink, Placing } from './trace.ts';

/** How far a bucket must extend beyond its neighbors to be a spike, in pixels. */
const minPixels = 6;
/** The number of neighbors on each side. */
const reach = 3;

/**
 * Draws a spike from the line to the minimum or maximum of each bucket if that value exceeds the
 * values of the neighboring buckets. Bands are faint and are omitted if there are many lines, but a
 * spike of one point in a million must still be visible. In a group, some run is always outermost,
 * so a spike must exceed the band by the band's height there.
 */
export function traceSpikes(sink: PathSink, line: ChartLine, place: Placing, from = 0, to: number = line.x.length): void {
  const { x, series, band, members } = line;
  if (series.raw) return;
  const shown = shownValues(line);
  for (const [column, sign] of [
    [series.high, -1],
    [series.low, 1],
  ] as const)
    for (const i of peaksOf(column, sign)) {
      if (i < from || i >= to) continue;
      const value = column[i]!;
      const extreme = extremeBeside(column, sign, i);
      const end = place.y(value);
      if (!(Math.abs(end) < Infinity)) continue;
      const min = members > 1 ? Math.max(minPixels, bandBeside(band, place, i)) : minPixels;
      const known = place.y(extreme);
      const beside = Number.isFinite(known) ? known : farthestBeside(column, place, sign, i);
      if ((end - beside) * sign < min) continue;
      const left = place.x(x[i]!);
      const start = place.y(shown[i]!);
      if (!(Math.abs(left) < Infinity) || (Number.isFinite(start) && (end - start) * sign < min)) continue;
      sink.moveTo(left, Number.isFinite(start) ? start : beside);
      sink.lineTo(left, end);
    }
}

const knownPeaks = { [-1]: new WeakMap<Float64Array, Uint32Array>(), [1]: new WeakMap<Float64Array, Uint32Array>() };

/**
 * The buckets that extend farther than all their neighbors, on any axis: these include the spikes.
 * Computed once per column.
 */
function peaksOf(column: Float64Array, sign: 1 | -1): Uint32Array {
  const known = knownPeaks[sign].get(column);
  if (known) return known;
  const peaks: number[] = [];
  for (let i = 0; i < column.length; i++) if (!reachesAsFar(extremeBeside(column, sign, i), column[i]!, sign)) peaks.push(i);
  const found = Uint32Array.from(peaks);
  knownPeaks[sign].set(column, found);
  return found;
}

/**
 * Whether a neighbor extends as far as a value, on any axis: this is true for most buckets and
 * needs no pixel computation. Only positive values have a position on all axes.
 */
function reachesAsFar(beside: number, value: number, sign: 1 | -1): boolean {
  return sign === 1 ? beside <= value && beside > 0 : beside >= value && beside < Infinity;
}

/**
 * The smallest (`sign` 1) or largest finite value among the neighbors of `index`. Its pixel is the
 * farthest, if it has one. Infinite if no neighbor is finite.
 */
function extremeBeside(column: Float64Array, sign: 1 | -1, index: number): number {
  let extreme = Infinity * sign;
  for (let i = Math.max(0, index - reach); i <= Math.min(column.length - 1, index + reach); i++) {
    if (i === index) continue;
    const value = column[i]!;
    if (sign === 1 ? value < extreme && value > -Infinity : value > extreme && value < Infinity) extreme = value;
  }
  return extreme;
}

/**
 * The farthest pixel among the neighbors of `index` that have a position (0 has none on a
 * logarithmic axis); if none has, the nearest possible pixel. `sign` 1: downward.
 */
function farthestBeside(column: Float64Array, place: Placing, sign: 1 | -1, index: number): number {
  let found = -Infinity * sign;
  for (let i = Math.max(0, index - reach); i <= Math.min(column.length - 1, index + reach); i++) {
    if (i === index) continue;
    const pixel = place.y(column[i]!);
    if (Number.isFinite(pixel) && (pixel - found) * sign > 0) found = pixel;
  }
  return found;
}

/** The height of the band, in pixels, at the entries nearest to `index` that have a band. */
function bandBeside({ low, high }: ChartLine['band'], place: Placing, index: number): number {
  for (const beside of [index - reach, index + reach, index - 1, index + 1]) {
    const height = place.y(low[beside]!) - place.y(high[beside]!);
    if (height < Infinity) return height;
  }
  return 0;
}
