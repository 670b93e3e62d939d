import { type ChartLine, type HeatScale, type HeatValue, makeScale, notFiniteAt, type Scale } from '#charts';
import type { HeatRow } from './heat-rows.ts';

/** An entry in a row, and its position in the drawing. */
export interface HeatCell {
  readonly line: ChartLine;
  readonly index: number;
  /** Pixels from the left edge of the plot; `to` is exclusive. May lie outside the plot. */
  readonly from: number;
  readonly to: number;
}

/** What a pixel in a row shows. */
export const heatMarks = { nothing: 0, value: 1, someNotFinite: 2, allNotFinite: 3 } as const;

/** A row as pixels. */
export interface HeatPixels {
  /** NaN where there is no finite value. */
  readonly value: Float64Array;
  readonly mark: Uint8Array;
}

/** The value that determines an entry's color; NaN if it is not finite. */
function heatValueOf({ series }: ChartLine, index: number, value: HeatValue): number {
  const found = (value === 'last' ? series.value : value === 'max' ? series.high : series.low)[index]!;
  return Number.isFinite(found) ? found : Number.NaN;
}

/**
 * The smallest and the largest finite value in the visible part; null if there are none.
 * `ignoreOutliers`: omits the smallest and the largest twentieth.
 */
export function heatExtent(
  rows: readonly HeatRow[],
  x: Pick<Scale, 'min' | 'max'>,
  { scale, value, ignoreOutliers }: { readonly scale: HeatScale; readonly value: HeatValue; readonly ignoreOutliers: boolean },
): { readonly min: number; readonly max: number } | null {
  const found: number[] = [];
  for (const { lines } of rows)
    for (const line of lines)
      for (let i = 0; i < line.x.length; i++) {
        if (!(line.x[i]! >= x.min && startOf(line, i) <= x.max)) continue;
        const own = heatValueOf(line, i, value);
        if (Number.isFinite(own) && (scale === 'linear' || own > 0)) found.push(own);
      }
  if (found.length === 0) return null;
  const sorted = Float64Array.from(found).sort();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))]!;
  return ignoreOutliers ? { min: at(0.05), max: at(0.95) } : { min: at(0), max: at(1) };
}

/**
 * The cells of a row, by position. Each cell extends halfway to its neighbors. Next to a gap, a
 * cell extends no farther than usual, so that times without data stay empty. `width` is the width
 * of the plot.
 */
export function heatCells({ lines }: HeatRow, x: Scale, width: number): HeatCell[] {
  return lines.flatMap((line) => {
    const ends = Array.from(line.x, (place, index) => {
      const to = x.position(place) * width;
      const from = x.position(startOf(line, index)) * width;
      return { line, index, from: Number.isNaN(from) ? to : Math.min(from, to), to };
    })
      .filter(({ to }) => !Number.isNaN(to))
      .sort((a, b) => a.from + a.to - b.from - b.to || a.index - b.index);
    const centers = ends.map(({ from, to }) => (from + to) / 2);
    const distances = centers.slice(1).map((center, i) => center - centers[i]!);
    const usual = distances.length === 0 ? 2 * width : distances.toSorted((a, b) => a - b)[distances.length >> 1]!;
    const reach = (gap: number): number => Math.max(0, Math.min(gap / 2, usual * 0.75));
    return ends.map((cell, i): HeatCell => {
      const [before, after] = [ends[i - 1], ends[i + 1]];
      return {
        ...cell,
        from: cell.from - (before ? reach(cell.from - before.to) : usual / 2),
        to: cell.to + (after ? reach(after.from - cell.to) : usual / 2),
      };
    });
  });
}

/**
 * The cells of a row as `width` pixels. Each cell gets at least one pixel, which it shares with
 * other cells if necessary.
 */
export function heatPixels(cells: readonly HeatCell[], width: number, value: HeatValue): HeatPixels {
  const values = new Float64Array(width).fill(Number.NaN);
  const mark = new Uint8Array(width);
  for (const { line, index, from, to } of cells) {
    if (to < 0 || from > width) continue;
    const isNarrow = to - from < 1;
    const center = Math.min(width - 1, Math.max(0, Math.floor((from + to) / 2)));
    const [first, behind] = isNarrow ? [center, center + 1] : [Math.round(from), Math.round(to)];
    const own = heatValueOf(line, index, value);
    const { nan, positive, negative } = notFiniteAt(line.series, index);
    for (let pixel = Math.max(0, first); pixel < Math.min(width, behind); pixel++) {
      if (nan + positive + negative > 0) mark[pixel] = heatMarks.someNotFinite;
      else if (mark[pixel] === heatMarks.nothing) mark[pixel] = heatMarks.value;
      if (Number.isNaN(own)) continue;
      const known = values[pixel]!;
      const isMore = value === 'last' || Number.isNaN(known) || (value === 'max' ? own > known : own < known);
      if (isMore) values[pixel] = own;
    }
  }
  for (let pixel = 0; pixel < width; pixel++)
    if (mark[pixel] === heatMarks.someNotFinite && Number.isNaN(values[pixel]!)) mark[pixel] = heatMarks.allNotFinite;
  return { value: values, mark };
}

/**
 * The position of a value on the color scale, from 0 to 1; NaN if it has none (log: 0 and below).
 */
export function heatPlaces(scale: HeatScale, { min, max }: { readonly min: number; readonly max: number }): (value: number) => number {
  if (min === max) return (value) => (scale === 'log' && value <= 0 ? Number.NaN : value < min ? 0 : value > max ? 1 : 0.5);
  const { position } = makeScale(scale, min, max);
  return (value) => Math.min(1, Math.max(0, position(value)));
}

/**
 * On the step axis, a bucket starts at its first step; on other axes, only one of its positions is
 * known.
 */
function startOf({ x, series }: ChartLine, index: number): number {
  return x === series.step ? series.firstStep[index]! : x[index]!;
}
