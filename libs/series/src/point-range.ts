import { concatPoints, lowerBound, slicePoints } from '#chunks';
import type { PointColumns } from '#model';
import { maxStep } from './steps.ts';

/**
 * The points with steps from `from` to `to`, both included; steps rise. Shares memory with
 * `points`.
 */
export function clip(points: PointColumns, from: bigint, to: bigint): PointColumns {
  const { steps } = points;
  const length = steps.length;
  if (length === 0 || (steps[0]! >= from && steps[length - 1]! <= to)) return points;
  const begin = lowerBound(steps, from);
  const end = to === maxStep ? length : lowerBound(steps, to + 1n);
  return slicePoints(points, begin, Math.max(begin, end));
}

/** Concatenates the parts. */
export function joinPoints(parts: readonly PointColumns[]): PointColumns {
  const filled = parts.filter((points) => points.steps.length > 0);
  return filled.length === 1 ? filled[0]! : concatPoints(filled);
}

/** Copies the points to new columns. */
export function copyPoints({ steps, wallTimes, values }: PointColumns): PointColumns {
  return { steps: steps.slice(), wallTimes: wallTimes.slice(), values: values.slice() };
}
