import { type ScaleKind } from '#charts';
import type { Cell } from '../../runs/conditions.ts';
import { axisOf, type NumbersOf, type ScatterAxis } from '../scatter/scatter-axis.ts';

/** Minimum ratio of the largest to the smallest value for a logarithmic axis. */
const minRatio = 10;
/** An axis is logarithmic if half of the values would be below this fraction of a linear axis. */
const crowded = 0.25;

/** An axis of the parallel coordinates. */
export interface ParallelAxis extends ScatterAxis {
  /** Null for an axis of values, which has no scale. */
  readonly kind: ScaleKind | null;
  /** Whether some run has no position on the scale: its line passes below the axis. */
  readonly hasMissing: boolean;
}

/** The axis of a column. `chosen`: its scale; undefined: one that fits the values. */
export function parallelAxis(cells: readonly Cell[], chosen: ScaleKind | undefined, numbers: NumbersOf): ParallelAxis {
  const kind = chosen ?? (numbers === 'number' ? fittingScale(cells) : 'linear');
  const axis = axisOf(cells, kind, numbers);
  return { ...axis, kind: axis.scale ? kind : null, hasMissing: cells.some((cell) => Number.isNaN(axis.placeOf(cell))) };
}

/**
 * The scale that spreads the values: logarithmic if all are positive and most would be near the low
 * end of a linear scale, such as learning rates and powers of two.
 */
export function fittingScale(cells: readonly Cell[]): ScaleKind {
  const numbers = Float64Array.from(cells.filter((cell) => typeof cell === 'number' && Number.isFinite(cell)) as number[]).sort();
  const [min, max] = [numbers[0], numbers.at(-1)];
  if (min === undefined || max === undefined || min <= 0 || max / min < minRatio) return 'linear';
  const median = numbers[Math.floor((numbers.length - 1) / 2)]!;
  return (median - min) / (max - min) < crowded ? 'log' : 'linear';
}
