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
  /** What was logged. */
  readonly y: Float64Array;
  /** Null: as it was logged. */
  readonly smoothed: Float64Array | null;
}

/** How series become lines. */
export interface LineOptions {
  readonly xAxis: XAxis;
  /** 0: none. */
  readonly smoothing: number;
}

/** A whole series as a line, or a part of it (`whole` is then the series that it is a part of). */
export function chartLine(series: ScalarSeries, { xAxis, smoothing }: LineOptions, whole: ScalarSeries = series): ChartLine {
  const y = valuesOf(series, xAxis);
  const weight = series === whole ? smoothing : weightFor(smoothing, meanSpacing(series.step), meanSpacing(whole.step));
  return {
    run: series.run,
    members: 1,
    series,
    band: series,
    x: placesOf(series, xAxis, whole.wallTime[0] ?? 0),
    y,
    smoothed: smoothing > 0 ? smooth(y, weight) : null,
  };
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

/** The place that is nearest to `x`; -1 where there is none. */
export function nearestTo(places: Float64Array, x: number): number {
  const after = firstAtOrAfter(places, x);
  if (after === places.length) return places.length - 1;
  return after > 0 && x - places[after - 1]! < places[after]! - x ? after - 1 : after;
}
