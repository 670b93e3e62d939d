import type { ScalarSeries } from './scalar-series.ts';

/**
 * The quantities of the x axis: steps; seconds since the first point of the series; absolute times.
 */
export const xAxes = ['step', 'relative', 'wall'] as const;

/** One of these quantities, or the values of a tag in the same run (`tag:` and its name). */
export type XAxis = (typeof xAxes)[number] | `tag:${string}`;

/** The tag on the x axis; null if it is not a tag. */
export function xTagOf(axis: XAxis): string | null {
  return axis.startsWith('tag:') ? axis.slice('tag:'.length) : null;
}

/** Parses an axis; returns `step` if the string is not an axis. */
export function readXAxis(text: string): XAxis {
  const plain = xAxes.find((axis) => axis === text);
  return plain ?? (text.startsWith('tag:') && text !== 'tag:' ? (text as XAxis) : 'step');
}

/** Whether the axis shows times. */
export function isTimeAxis(axis: XAxis): axis is 'relative' | 'wall' {
  return axis === 'relative' || axis === 'wall';
}

/**
 * The positions of a series' entries along the axis. `origin`: wall time of the first point of the
 * whole series, which a part might not contain. NaN for entries without a position.
 */
export function placesOf(series: ScalarSeries, axis: XAxis, origin: number): Float64Array {
  if (axis === 'step') return series.step;
  if (axis === 'wall') return series.wallTime;
  if (axis === 'relative') return series.wallTime.map((time) => time - origin);
  return series.x ?? new Float64Array(series.step.length).fill(Number.NaN);
}

/**
 * The drawn values: on step and tag axes, each bucket's last value (where the value of another tag
 * is also known); on time axes, its first value.
 */
export function valuesOf(series: ScalarSeries, axis: XAxis): Float64Array {
  return isTimeAxis(axis) ? series.first : series.value;
}
