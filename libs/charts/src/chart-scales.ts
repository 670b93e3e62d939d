import type { ChartLine } from './chart-lines.ts';
import { type Extent, symlogThreshold, xExtent, yExtent } from './extent.ts';
import { makeScale, type Scale, spaceOf } from './scale.ts';
import type { View } from './view.ts';

/** Scales of a chart. */
export interface ChartScales {
  readonly x: Scale;
  readonly y: Scale;
}

/** The parts of the view that determine the scales. */
export type ScaleOptions = Pick<View, 'xAxis' | 'xScale' | 'yScale' | 'ignoreOutliers' | 'range'>;

/**
 * The scales of a chart with these lines; null if there is nothing to show. `y`: a manually
 * selected range of the y axis; ignored if it cannot be shown on this axis.
 */
export function chartScales(lines: readonly ChartLine[], view: ScaleOptions, y: Extent | null = null): ChartScales | null {
  // A logarithmic axis of absolute times is useless, because all are about 1.7e9
  const xKind = view.xAxis === 'wall' ? 'linear' : view.xScale;
  const all = xExtent(lines, xKind);
  const x = view.range ? { min: view.range.from, max: view.range.to } : all;
  if (!all || !x) return null;
  const threshold = view.yScale === 'symlog' ? symlogThreshold(lines) : 1;
  const isPlaced = y !== null && Number.isFinite(spaceOf(view.yScale, threshold).forward(y.min));
  const found = isPlaced ? y : yExtent(lines, x, { kind: view.yScale, ignoreOutliers: view.ignoreOutliers, threshold, xKind });
  if (!found) return null;
  return { x: makeScale(xKind, x.min, x.max), y: makeScale(view.yScale, found.min, found.max, threshold) };
}
