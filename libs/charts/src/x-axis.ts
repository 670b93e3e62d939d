import type { ScalarSeries } from './scalar-series.ts';

/**
 * The quantities of the x axis: steps; seconds since the first point of the series; absolute times.
 */
export const xAxes = ['step', 'relative', 'wall'] as const;
export type XAxis = (typeof xAxes)[number];

/**
 * The positions of the entries of a series along the axis. `origin`: wall time of the first point
 * of the whole series, which a part of it may not contain.
 */
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

/** The drawn values: the last value of each bucket at its step, or its first one at its time. */
export function valuesOf(series: ScalarSeries, axis: XAxis): Float64Array {
  return axis === 'step' ? series.value : series.first;
}
