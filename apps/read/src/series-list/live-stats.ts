import { tailsBySeries } from '#series';
import type { SeriesSummary, StoredTail } from '#store';

/** A series with the points of its tail. */
export interface LiveSeries extends SeriesSummary {
  /** The step of `min` or `max` if that value is only in the tail. */
  readonly minStep?: bigint;
  readonly maxStep?: bigint;
}

/**
 * Adds the points in the tails of live runs to the summaries of their series. Points of a tail come
 * after all points in chunks (a worker cuts the tail before adding anything else), so counts can be
 * added, and the last point of the tail is the last point of the series.
 */
export function withTails(series: readonly SeriesSummary[], tails: readonly StoredTail[]): LiveSeries[] {
  if (tails.length === 0) return [...series];
  const bySeries = tailsBySeries(tails);
  return series.map((summary) => {
    const tail = bySeries.get(summary.seriesId);
    if (!tail) return summary;
    const all = tail.pieces.reduce((sum, piece) => sum + piece.points.steps.length, 0);
    const { steps, values, wallTimes } = tail.effective;
    const { min, max, nans } = rangeOf(values);
    const isLower = min !== null && (summary.min === null || min < summary.min);
    const isHigher = max !== null && (summary.max === null || max > summary.max);
    return {
      ...summary,
      points: summary.points + steps.length,
      supersededPoints: summary.supersededPoints + all - steps.length,
      firstStep: summary.firstStep ?? steps[0] ?? null,
      lastStep: steps.at(-1) ?? summary.lastStep,
      lastWallTime: wallTimes.at(-1) ?? summary.lastWallTime,
      last: values.at(-1) ?? summary.last,
      min: smaller(summary.min, min),
      max: larger(summary.max, max),
      nanCount: summary.nanCount + nans,
      ...(isLower && { minStep: steps[values.indexOf(min)]! }),
      ...(isHigher && { maxStep: steps[values.indexOf(max)]! }),
    };
  });
}

/**
 * The minimum, the maximum and the number of NaN values. Infinities count; null if there is no
 * other value than NaN.
 */
function rangeOf(values: Float64Array): { min: number | null; max: number | null; nans: number } {
  let min: number | null = null;
  let max: number | null = null;
  let nans = 0;
  for (const value of values) {
    if (Number.isNaN(value)) nans++;
    else {
      if (min === null || value < min) min = value;
      if (max === null || value > max) max = value;
    }
  }
  return { min, max, nans };
}

function smaller(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : b < a ? b : a;
}

function larger(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : b > a ? b : a;
}
