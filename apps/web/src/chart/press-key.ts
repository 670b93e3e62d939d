import {
  type ChartLine,
  type ChartScales,
  type Extent,
  entriesIn,
  firstAtOrAfter,
  isRising,
  nearestTo,
  type Scale,
  shownValues,
} from '#charts';
import type { Plot } from './plot.ts';
import { type Reading, readLines } from './readout.ts';

/** A point being read with keys. */
export interface Spot {
  readonly run: string;
  /** Along the x axis. */
  readonly x: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Pressed {
  readonly key: string;
  readonly shiftKey: boolean;
}

interface Around {
  /** The last reading, by key or by pointer. */
  readonly last: Reading | null;
  /** Position of the crosshair; null if there is none. */
  readonly crosshair: number | null;
  /**
   * The full range of the x axis, without zoom. Iterates over all points, so it is called only when
   * needed.
   */
  whole(): Extent | null;
}

/** Handles a key in a plot: reads another point, or shows another part of the x axis. */
export function pressKey({ key, shiftKey }: Pressed, plot: Plot, { last, crosshair, whole }: Around): void {
  const { lines, scales, xAxis } = plot.content;
  if (key === '0') plot.events.reset();
  else if (/^[-+=]$/.test(key) || (shiftKey && key.startsWith('Arrow'))) {
    const all = whole();
    const range = all && rangeAfter(key, scales.x, all, crosshair, xAxis === 'step' ? 1 : 0);
    if (range === 'all') plot.events.reset();
    else if (range) plot.events.zoom(range, null);
  } else {
    const from = last && spotOf(last, lines);
    const spot = spotAfter(key, from, lines, scales, plot.size);
    if (spot) plot.point(() => readSpot(plot.content.lines, plot.content.scales, spot, plot.size));
  }
}

/**
 * The current position of a reading: the entries of lines and the axis may have changed since. A
 * mean of runs has its own positions, with steps that are means and may repeat. So a reading is
 * looked up by step only if its position no longer exists.
 */
function spotOf({ line: { run, members, series, x }, index }: Reading, lines: readonly ChartLine[]): Spot | null {
  const line = lines.find((one) => one.run === run);
  if (line && members > 1 && line.x[nearestTo(line.x, x[index]!)] === x[index]) return { run, x: x[index]! };
  const now = line ? nearestTo(line.series.step, series.step[index]!) : -1;
  return line && now >= 0 ? { run, x: line.x[now]! } : null;
}

/**
 * The values of the lines at a point. The point's own line comes first; other lines count only if
 * their points are visible. If the point itself is not visible, the nearest visible point of its
 * line replaces it.
 */
export function readSpot(lines: readonly ChartLine[], scales: ChartScales, spot: Spot, size: Size): Reading[] {
  const line = lines.find(({ run }) => run === spot.run);
  const seen = line && seenPart(line, scales.x);
  if (!seen) return [];
  const index = Math.min(seen.last, Math.max(seen.first, nearestTo(line.x, spot.x)));
  const left = scales.x.position(line.x[index]!) * size.width;
  const top = (1 - scales.y.position(shownValues(line)[index]!)) * size.height;
  const others = lines.filter((other) => other !== line);
  const pointer = { left, top: Number.isFinite(top) ? top : size.height / 2, ...size };
  const beside = readLines(others, scales, pointer).filter((reading) => {
    const part = seenPart(reading.line, scales.x);
    return part !== null && reading.index >= part.first && reading.index <= part.last;
  });
  return [{ line, index, left, top, distance: 0 }, ...beside];
}

/**
 * The point to which a key moves from another one; null if there are no points. Left and right move
 * to the adjacent positions on its line, and up and down to the lines above and below it. `Home`
 * and `End` move to the ends of the line's visible part. `PageUp` and `PageDown` move by a tenth of
 * the axis, as in sliders (ARIA Authoring Practices, slider).
 */
export function spotAfter(key: string, from: Spot | null, lines: readonly ChartLine[], scales: ChartScales, size: Size): Spot | null {
  const [own] = from ? readSpot(lines, scales, from, size) : [];
  if (!own) {
    const line = lines.find((one) => seenPart(one, scales.x));
    const seen = line && seenPart(line, scales.x);
    return seen ? { run: line.run, x: line.x[/Left|End|PageDown/.test(key) ? seen.last : seen.first]! } : null;
  }
  const at = { run: own.line.run, x: own.line.x[own.index]! };
  if (key === 'ArrowUp' || key === 'ArrowDown') return neighbour(readSpot(lines, scales, at, size), lines, key === 'ArrowUp' ? -1 : 1);
  const { line } = own;
  const { first, last } = seenPart(line, scales.x)!;
  // Several points may share a position
  const [before, after] = isRising(line.x)
    ? [firstAtOrAfter(line.x, at.x) - 1, line.x.findLastIndex((place) => place <= at.x) + 1]
    : [own.index - 1, own.index + 1];
  const tenth = (by: number): number => {
    const [low, high] = [scales.x.forward(scales.x.min), scales.x.forward(scales.x.max)];
    return nearestTo(line.x, scales.x.inverse(scales.x.forward(at.x) + by * (high - low)));
  };
  const found: Readonly<Record<string, () => number>> = {
    ArrowLeft: () => before,
    ArrowRight: () => after,
    PageDown: () => Math.min(before, tenth(-0.1)),
    PageUp: () => Math.max(after, tenth(0.1)),
    Home: () => first,
    End: () => last,
  };
  const index = found[key]?.() ?? own.index;
  return { run: line.run, x: line.x[Math.min(last, Math.max(first, index))]! };
}

/**
 * The reading above (-1) or below (1) the first one. Coincident readings are in line order; NaN is
 * at the bottom.
 */
function neighbour(readings: readonly Reading[], lines: readonly ChartLine[], by: -1 | 1): Spot {
  const [own] = readings;
  const order = new Map(lines.map((line, i) => [line, i]));
  const topOf = ({ top }: Reading): number => (Number.isFinite(top) ? top : Infinity);
  const sorted = readings.toSorted((a, b) => topOf(a) - topOf(b) || order.get(a.line)! - order.get(b.line)!);
  const { line, index } = sorted[sorted.indexOf(own!) + by] ?? own!;
  return { run: line.run, x: line.x[index]! };
}

/** Indices of the visible entries; null if there are none. */
function seenPart({ x }: ChartLine, scale: Scale): { readonly first: number; readonly last: number } | null {
  const { from, to } = entriesIn(x, scale.min, scale.max);
  return to <= from ? null : { first: from, last: to - 1 };
}

/**
 * The x range that a key selects: half or twice the range, around the crosshair, or the range moved
 * left or right by a quarter. `min`: its minimum length. Returns `all` for no zoom, and null for
 * no change.
 */
export function rangeAfter(key: string, scale: Scale, whole: Extent, crosshair: number | null, min = 0): Extent | 'all' | null {
  const [low, high, first, last] = [scale.min, scale.max, whole.min, whole.max].map((value) => scale.forward(value)) as [
    number,
    number,
    number,
    number,
  ];
  if (key.startsWith('Arrow')) {
    const sign = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
    const distance = sign < 0 ? Math.max(0, low - first) : Math.max(0, last - high);
    const wide = scale.kind === 'linear' ? Math.max(min, 0.25 * (high - low)) : 0.25 * (high - low);
    const way = sign * Math.min(distance, wide);
    return way === 0 ? null : { min: scale.inverse(low + way), max: scale.inverse(high + way) };
  }
  const share = crosshair === null ? 0.5 : scale.position(crosshair);
  const around = low + (share >= 0 && share <= 1 ? share : 0.5) * (high - low);
  const factor = key === '-' ? 2 : 0.5;
  const [from, to] = [Math.max(first, around - (around - low) * factor), Math.min(last, around + (high - around) * factor)];
  if (from <= first && to >= last) return 'all';
  return from < to ? { min: scale.inverse(from), max: scale.inverse(to) } : null;
}
