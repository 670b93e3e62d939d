/**
 * Debiased exponential moving average, as TensorBoard smooths: `weight` (0 to below 1) is what stays of the past at each point. What is not finite stays
 * as it is and leaves the average alone; a constant series stays constant, without rounding. `smoothed` takes the result, and has the length of `values`.
 */
export function smooth(values: Float64Array, weight: number, smoothed: Float64Array = new Float64Array(values.length)): Float64Array {
  let average = 0;
  let share = 1; // of the average, what its start at 0 still makes up
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isFinite(value)) {
      smoothed[i] = value;
      continue;
    }
    share *= weight;
    // The service's arithmetic (libs/series/src/moving-average.ts), so that both give the same numbers
    const part = (1 - weight) / (1 - share);
    const change = value - average;
    if (part === 1) average = value;
    else average = Math.abs(change) < Infinity ? average + change * part : average * (1 - part) + value * part;
    smoothed[i] = average;
  }
  return smoothed;
}

/**
 * The weight for points that lie `spacing` apart such that the curve is as smooth, over the same steps, as `weight` makes one whose points lie
 * `referenceSpacing` apart: finer data of a zoomed chart then look like the coarse ones. A spacing that means nothing leaves the weight.
 */
export function weightFor(weight: number, spacing: number, referenceSpacing: number): number {
  const ratio = spacing / referenceSpacing;
  return ratio > 0 && Number.isFinite(ratio) ? weight ** ratio : weight;
}

/** Mean distance of rising positions; NaN with less than two. */
export function meanSpacing(positions: Float64Array): number {
  const last = positions.length - 1;
  return last > 0 ? (positions[last]! - positions[0]!) / last : Number.NaN;
}
