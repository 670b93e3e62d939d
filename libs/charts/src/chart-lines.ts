import type { ScalarSeries } from './scalar-series.ts';
import { meanSpacing, smooth, weightFor } from './smoothing.ts';
import { placesOf, valuesOf, type XAxis } from './x-axis.ts';

/** A series in drawable form. All columns have the same length. */
export interface ChartLine {
  /** The run, or the group of runs. */
  readonly run: string;
  /** The number of runs in the mean; 1 for a single run. */
  readonly members: number;
  readonly series: ScalarSeries;
  /**
   * The range of the faint band around the line: from each bucket's smallest to its largest value,
   * or the spread of a group.
   */
  readonly band: Pick<ScalarSeries, 'low' | 'high'>;
  readonly x: Float64Array;
  /**
   * Wall time of the first point of the whole series, where relative time starts, even if the line
   * is only a part of the series.
   */
  readonly origin: number;
  /** The logged values. */
  readonly y: Float64Array;
  /**
   * The average distance between the line's steps, relative to the whole series; 1 for the whole
   * series. Smoothing adapts to it.
   */
  readonly spacing: number;
  /** Null if not smoothed. */
  readonly smoothed: Float64Array | null;
  /** For a mean, the mean of its runs' smoothed lines. */
  readonly smoothBy?: (smoothing: number) => Float64Array;
}

/** How to convert series to lines. */
export interface LineOptions {
  readonly xAxis: XAxis;
  /** 0 for none. */
  readonly smoothing: number;
}

/** Converts a series, or a part of it, to a line. For a part, `whole` is the whole series. */
export function chartLine(series: ScalarSeries, { xAxis, smoothing }: LineOptions, whole: ScalarSeries = series): ChartLine {
  const line: ChartLine = {
    run: series.run,
    members: 1,
    series,
    band: series,
    x: placesOf(series, xAxis, whole.wallTime[0] ?? 0),
    origin: whole.wallTime[0] ?? 0,
    y: valuesOf(series, xAxis),
    spacing: series === whole ? 1 : meanSpacing(series.step) / meanSpacing(whole.step),
    smoothed: null,
  };
  return smoothLines([line], smoothing)[0]!;
}

/**
 * Returns the lines with another smoothing, from 0 (as logged) to below 1. Their smoothed values
 * share one buffer, because thousands of small buffers are slow to garbage-collect.
 */
export function smoothLines(lines: readonly ChartLine[], smoothing: number): readonly ChartLine[] {
  if (smoothing <= 0) return lines.map((line) => (line.smoothed ? { ...line, smoothed: null } : line));
  const buffer = new Float64Array(lines.reduce((sum, { y }) => sum + y.length, 0));
  let taken = 0;
  return lines.map((line) => {
    const smoothed = buffer.subarray(taken, (taken += line.y.length));
    const exact = line.smoothBy?.(smoothing) ?? exactlySmoothed(line, smoothing);
    if (exact) smoothed.set(exact);
    else smooth(line.y, weightFor(smoothing, line.spacing, 1), smoothed);
    return { ...line, smoothed };
  });
}

/**
 * The service's averages of all points, if it computed them with this weight. For a whole series of
 * points, they are computed here.
 */
function exactlySmoothed({ series, y }: ChartLine, smoothing: number): Float64Array | null {
  if (series.smoothed?.weight !== smoothing || series.smoothed.last.length !== y.length) return null;
  return y === series.value ? series.smoothed.last : y === series.first ? series.smoothed.first : null;
}

/**
 * Whether a line is smoothed only from its buckets, because it is too long for averages of all
 * points.
 */
export function isRoughlySmoothed({ series, smoothed }: ChartLine): boolean {
  return smoothed !== null && !series.raw && series.smoothed !== null && series.smoothed.last.length === 0;
}

/** The values to read from a line. */
export function shownValues(line: ChartLine): Float64Array {
  return line.smoothed ?? line.y;
}

/** The index of the first position at or beyond `x`; positions rise. */
export function firstAtOrAfter(places: Float64Array, x: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (places[middle]! < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

const knownRising = new WeakMap<Float64Array, boolean>();

/**
 * Whether positions never decrease. Wall times can decrease if a clock was set or a run was
 * resumed, because entries are in step order. Computed once per column.
 */
export function isRising(places: Float64Array): boolean {
  const known = knownRising.get(places);
  if (known !== undefined) return known;
  let rising = !(places.length > 0 && Number.isNaN(places[0]!));
  for (let i = 1; i < places.length && rising; i++) rising = places[i]! >= places[i - 1]!;
  knownRising.set(places, rising);
  return rising;
}

/** Entries from `from` up to, not including, `to`. */
export interface Entries {
  readonly from: number;
  readonly to: number;
}

/**
 * The entries between two positions, both included. If positions go back, all entries from the
 * first to the last such position. If there are none, `to` is `from`.
 */
export function entriesIn(places: Float64Array, min: number, max: number): Entries {
  if (isRising(places)) {
    const from = firstAtOrAfter(places, min);
    let to = firstAtOrAfter(places, max);
    while (to < places.length && places[to] === max) to++;
    return { from, to: Math.max(from, to) };
  }
  const isIn = (place: number): boolean => place >= min && place <= max;
  const from = places.findIndex(isIn);
  return from < 0 ? { from: 0, to: 0 } : { from, to: places.findLastIndex(isIn) + 1 };
}

/** Like {@link entriesIn}, plus the adjacent entries, so that lines continue beyond the edges. */
export function entriesAround(places: Float64Array, min: number, max: number): Entries {
  const { from, to } = entriesIn(places, min, max);
  if (to === from && !isRising(places)) return { from: 0, to: places.length };
  return { from: Math.max(0, from - 1), to: Math.min(places.length, to + 1) };
}

/** The index of the position nearest to `x`; -1 if there is none. */
export function nearestTo(places: Float64Array, x: number): number {
  if (!isRising(places)) {
    let nearest = -1;
    for (let i = 0; i < places.length; i++)
      if (!Number.isNaN(places[i]!) && (nearest < 0 || Math.abs(places[i]! - x) < Math.abs(places[nearest]! - x))) nearest = i;
    return nearest;
  }
  const after = firstAtOrAfter(places, x);
  if (after === places.length) return places.length - 1;
  return after > 0 && x - places[after - 1]! < places[after]! - x ? after - 1 : after;
}
