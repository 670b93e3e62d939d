import type { ScalarSeries } from './scalar-series.ts';
import { meanSpacing, smooth, weightFor } from './smoothing.ts';
import { placesOf, valuesOf, type XAxis } from './x-axis.ts';

/** A series laid out to be drawn. All columns have one length. */
export interface ChartLine {
  /** The run, or the group of runs. */
  readonly run: string;
  /** How many runs it is the mean of; 1: it is one run's own. */
  readonly members: number;
  readonly series: ScalarSeries;
  /** What the faint band around the line spans: the smallest to the largest value of each bucket, or what a group's spread is. */
  readonly band: Pick<ScalarSeries, 'low' | 'high'>;
  readonly x: Float64Array;
  /** Wall time of the very first point of the series, where relative time begins, also in a part of it. */
  readonly origin: number;
  /** What was logged. */
  readonly y: Float64Array;
  /** How far its steps lie apart on average, as a share of those of the whole series that it is a part of; 1: it is the whole. Smoothing follows it. */
  readonly spacing: number;
  /** Null: as it was logged. */
  readonly smoothed: Float64Array | null;
  /** Of a mean: that of its runs' smoothed lines. */
  readonly smoothBy?: (smoothing: number) => Float64Array;
}

/** How series become lines. */
export interface LineOptions {
  readonly xAxis: XAxis;
  /** 0: none. */
  readonly smoothing: number;
}

/** A whole series as a line, or a part of it (`whole` is then the series that it is a part of). */
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

/** The lines with another smoothing, 0 to below 1 (0: as they were logged). Their smoothed values share one buffer: thousands of small ones take long to be collected. */
export function smoothLines(lines: readonly ChartLine[], smoothing: number): readonly ChartLine[] {
  if (smoothing <= 0) return lines.map((line) => (line.smoothed ? { ...line, smoothed: null } : line));
  const room = new Float64Array(lines.reduce((sum, { y }) => sum + y.length, 0));
  let taken = 0;
  return lines.map((line) => {
    const smoothed = room.subarray(taken, (taken += line.y.length));
    const exact = line.smoothBy?.(smoothing) ?? exactlySmoothed(line, smoothing);
    if (exact) smoothed.set(exact);
    else smooth(line.y, weightFor(smoothing, line.spacing, 1), smoothed);
    return { ...line, smoothed };
  });
}

/** The averages of all points that the service made, where it made them with this weight. Of a whole series of points they follow from these. */
function exactlySmoothed({ series, y }: ChartLine, smoothing: number): Float64Array | null {
  if (series.smoothed?.weight !== smoothing || series.smoothed.last.length !== y.length) return null;
  return y === series.value ? series.smoothed.last : y === series.first ? series.smoothed.first : null;
}

/** Whether a line is smoothed by its buckets for good: it is too long for averages of all points. */
export function isRoughlySmoothed({ series, smoothed }: ChartLine): boolean {
  return smoothed !== null && !series.raw && series.smoothed !== null && series.smoothed.last.length === 0;
}

/** What is to be read off a line. */
export function shownValues(line: ChartLine): Float64Array {
  return line.smoothed ?? line.y;
}

/** The first place that is at or beyond `x`, in rising places. */
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

/** Whether places never go back. Wall times do where a clock was set or a run was resumed; entries are in the order of their steps. Looked for once in each column. */
export function isRising(places: Float64Array): boolean {
  const known = knownRising.get(places);
  if (known !== undefined) return known;
  let rising = !(places.length > 0 && Number.isNaN(places[0]!));
  for (let i = 1; i < places.length && rising; i++) rising = places[i]! >= places[i - 1]!;
  knownRising.set(places, rising);
  return rising;
}

/** Entries from `from` to before `to`. */
export interface Entries {
  readonly from: number;
  readonly to: number;
}

/** The entries between two places, both included; where places go back, all from the first to the last of them. `to` is `from` where there is none. */
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

/** The same and the entries beside them, to which lines go on beyond the edges. */
export function entriesAround(places: Float64Array, min: number, max: number): Entries {
  const { from, to } = entriesIn(places, min, max);
  if (to === from && !isRising(places)) return { from: 0, to: places.length };
  return { from: Math.max(0, from - 1), to: Math.min(places.length, to + 1) };
}

/** The place that is nearest to `x`; -1 where there is none. */
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
