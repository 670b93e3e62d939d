import type { PointColumns } from '#model';
import { constantStride } from './int64-column.ts';

/**
 * Summary of a chunk's points in its row, without its body. *First* and *last* are in log order;
 * in an effective chunk that is also step order, in a superseded one it is not.
 */
export interface ChunkSummary {
  readonly count: number;
  readonly firstStep: bigint;
  readonly lastStep: bigint;
  /** step(i) = firstStep + i · stride; 0n for a single point; null if the steps are irregular. */
  readonly stride: bigint | null;
  readonly firstWall: number;
  readonly lastWall: number;
  /** Smallest and largest wall time. NaN is skipped, unless every wall time is NaN. */
  readonly minWall: number;
  readonly maxWall: number;
  readonly firstValue: number;
  readonly lastValue: number;
  /** Smallest and largest value; NaN is skipped, infinities count. Null if every value is NaN. */
  readonly minValue: number | null;
  readonly maxValue: number | null;
  /**
   * Step of the first point (in log order) that has the smallest or largest value; 0 and −0 are
   * equal.
   */
  readonly minStep: bigint | null;
  readonly maxStep: bigint | null;
  readonly nanCount: number;
}

/** Summarizes the points from index `from` up to `to`; throws RangeError if there are none. */
export function summarize(points: PointColumns, from = 0, to = points.steps.length): ChunkSummary {
  if (to <= from) throw new RangeError('there is nothing to summarize');
  const { steps, wallTimes, values } = points;
  let minAt = -1;
  let maxAt = -1;
  let min = Infinity;
  let max = -Infinity;
  let nanCount = 0;
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    if (value !== value) nanCount++;
    else {
      if (value < min || minAt < 0) {
        min = value;
        minAt = i;
      }
      if (value > max || maxAt < 0) {
        max = value;
        maxAt = i;
      }
    }
  }
  let minWall = Number.NaN;
  let maxWall = Number.NaN;
  for (let i = from; i < to; i++) {
    const wallTime = wallTimes[i]!;
    // Negated, so that the first number replaces NaN.
    if (!(wallTime >= minWall) && wallTime === wallTime) minWall = wallTime;
    if (!(wallTime <= maxWall) && wallTime === wallTime) maxWall = wallTime;
  }
  return {
    count: to - from,
    firstStep: steps[from]!,
    lastStep: steps[to - 1]!,
    stride: constantStride(steps.subarray(from, to)),
    firstWall: wallTimes[from]!,
    lastWall: wallTimes[to - 1]!,
    minWall,
    maxWall,
    firstValue: values[from]!,
    lastValue: values[to - 1]!,
    minValue: minAt < 0 ? null : min,
    maxValue: maxAt < 0 ? null : max,
    minStep: minAt < 0 ? null : steps[minAt]!,
    maxStep: maxAt < 0 ? null : steps[maxAt]!,
    nanCount,
  };
}
