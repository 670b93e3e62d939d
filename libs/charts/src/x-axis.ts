import type { ScalarSeries } from './scalar-series.ts';

/** What charts run along: steps; seconds since the first point of the series; moments. */
export const xAxes = ['step', 'relative', 'wall'] as const;
export type XAxis = (typeof xAxes)[number];

/** Where the entries of a series lie along the axis. `origin`: wall time of the series' very first point, which a part of it may not have. */
export function placesOf(series: ScalarSeries, axis: XAxis, origin: number): Float64Array {
  switch (axis) {
    case 'step':
      return series.step;
    case 'wall':
      return series.wallTime;
    case 'relative':
      return series.wallTime.map((time) => time - origin);
  }
}

/** What is drawn there: the last value of each bucket at its step, or its first one at its time. */
export function valuesOf(series: ScalarSeries, axis: XAxis): Float64Array {
  return axis === 'step' ? series.value : series.first;
}
