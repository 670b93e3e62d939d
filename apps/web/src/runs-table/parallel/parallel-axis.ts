import { type ScaleKind } from '#charts';
import type { Cell } from '../../runs/conditions.ts';
import { axisOf, type NumbersOf, type ScatterAxis } from '../scatter/scatter-axis.ts';

/** A logarithmic axis must show at least this ratio of its largest to its smallest value. */
const minRatio = 10;
/** On a linear axis, half of the values would be below this fraction of the axis. */
const crowded = 0.25;

/** An axis of the parallel coordinates. */
export interface ParallelAxis extends ScatterAxis {
  /** Null: an axis of values, without a scale. */
  readonly kind: ScaleKind | null;
  /** Some run has no place on the scale: it passes below the axis. */
  readonly hasMissing: boolean;
}

/** The axis of a column. `chosen`: its scale; undefined: one that fits the values. */
export function parallelAxis(cells: readonly Cell[], chosen: ScaleKind | undefined, numbers: NumbersOf): ParallelAxis {
  const kind = chosen ?? (numbers === 'number' ? fittingScale(cells) : 'linear');
  const axis = axisOf(cells, kind, numbers);
  return { ...axis, kind: axis.scale ? kind : null, hasMissing: cells.some((cell) => Number.isNaN(axis.placeOf(cell))) };
}

/**
 * The scale on which values spread: logarithmic if all are positive and most are near the low end
 * of a linear one, as learning rates and powers of two are.
 */
export function fittingScale(cells: readonly Cell[]): ScaleKind {
  const numbers = Float64Array.from(cells.filter((cell) => typeof cell === 'number' && Number.isFinite(cell)) as number[]).sort();
  const [min, max] = [numbers[0], numbers.at(-1)];
  if (min === undefined || max === undefined || min <= 0 || max / min < minRatio) return 'linear';
  const median = numbers[Math.floor((numbers.length - 1) / 2)]!;
  return (median - min) / (max - min) < crowded ? 'log' : 'linear';
}
