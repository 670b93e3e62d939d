import { type ScaleKind } from '#charts';
import type { Cell } from '../../runs/conditions.ts';
import { axisOf, type NumbersOf, type ScatterAxis } from '../scatter/scatter-axis.ts';

/** An axis is logarithmic only if the largest value is at least this many times the smallest. */
const minRatio = 10;
/** An axis is logarithmic if half of the values would lie below this fraction of a linear axis. */
const crowded = 0.25;

/** An axis of a parallel coordinates plot. */
export interface ParallelAxis extends ScatterAxis {
  /** Null if the axis shows values, which have no scale. */
  readonly kind: ScaleKind | null;
  /** Whether any run has no position on the scale; its line passes below the axis. */
  readonly hasMissing: boolean;
}

/** The axis of a column. `chosen`: its scale; if undefined, a scale that fits the values. */
export function parallelAxis(cells: readonly Cell[], chosen: ScaleKind | undefined, numbers: NumbersOf): ParallelAxis {
  const kind = chosen ?? (numbers === 'number' ? fittingScale(cells) : 'linear');
  const axis = axisOf(cells, kind, numbers);
  return { ...axis, kind: axis.scale ? kind : null, hasMissing: cells.some((cell) => Number.isNaN(axis.placeOf(cell))) };
}

/**
 * The scale that spreads the values. It is logarithmic if all values are positive and most of them,
 * such as learning rates or powers of two, would be near the low end of a linear scale.
 */
export function fittingScale(cells: readonly Cell[]): ScaleKind {
  const numbers = Float64Array.from(cells.filter((cell) => typeof cell === 'number' && Number.isFinite(cell)) as number[]).sort();
  const [min, max] = [numbers[0], numbers.at(-1)];
  if (min === undefined || max === undefined || min <= 0 || max / min < minRatio) return 'linear';
  const median = numbers[Math.floor((numbers.length - 1) / 2)]!;
  return (median - min) / (max - min) < crowded ? 'log' : 'linear';
}
