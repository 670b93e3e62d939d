import type { PointColumns } from '#model';

/**
 * Statistics of points, computed from each point: the slow reference for summaries, cells and
 * buckets.
 */
export interface NaiveStatistics {
  readonly count: number;
  readonly step: bigint;
  readonly lastStep: bigint;
  readonly first: number;
  readonly last: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly minStep: bigint | null;
  readonly maxStep: bigint | null;
  readonly wallTime: number;
  readonly nanCount: number;
}

/** Statistics of the points from index `from` up to `to`. */
export function naiveStatistics(points: PointColumns, from: number, to: number): NaiveStatistics {
  const rows = Array.from({ length: to - from }, (_, i) => ({
    step: points.steps[from + i]!,
    wallTime: points.wallTimes[from + i]!,
    value: points.values[from + i]!,
  }));
  const numbers = rows.filter((row) => !Number.isNaN(row.value));
  // Array.prototype.sort is stable, so ties keep log order; 0 and −0 are equal.
  const rising = [...numbers].sort((a, b) => (a.value < b.value ? -1 : a.value > b.value ? 1 : 0));
  const falling = [...numbers].sort((a, b) => (a.value > b.value ? -1 : a.value < b.value ? 1 : 0));
  return {
    count: rows.length,
    step: rows[0]!.step,
    lastStep: rows.at(-1)!.step,
    first: rows[0]!.value,
    last: rows.at(-1)!.value,
    min: rising[0]?.value ?? null,
    max: falling[0]?.value ?? null,
    minStep: rising[0]?.step ?? null,
    maxStep: falling[0]?.step ?? null,
    wallTime: rows[0]!.wallTime,
    nanCount: rows.length - numbers.length,
  };
}

/**
 * Data rule 2 taken literally, in O(n²): which entries of a log (points, and counting STARTs)
 * supersede which points.
 */
export function naiveSuperseded(log: readonly { readonly step: bigint; readonly cut: boolean }[]): boolean[] {
  return log.map((entry, i) => !entry.cut && log.slice(i + 1).some((later) => later.step <= entry.step));
}
