/**
 * Debiased exponential moving average, as in TensorBoard: `weight` (0 to below 1) is the share of
 * the past at each point. Non-finite values stay unchanged and do not affect the average; a
 * constant series stays constant, without rounding. The result is written to `smoothed`, which has
 * the length of `values`.
 */
export function smooth(values: Float64Array, weight: number, smoothed: Float64Array = new Float64Array(values.length)): Float64Array {
  let average = 0;
  let share = 1; // share of the initial 0 in the average
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isFinite(value)) {
      smoothed[i] = value;
      continue;
    }
    share *= weight;
    // Uses the same arithmetic as the service (libs/series/src/moving-average.ts), so that both
    // return the same numbers
    const part = (1 - weight) / (1 - share);
    const change = value - average;
    if (part === 1) average = value;
    else average = Math.abs(change) < Infinity ? average + change * part : average * (1 - part) + value * part;
    smoothed[i] = average;
  }
  return smoothed;
}

/**
 * The weight that smooths points `spacing` apart as much, over the same steps, as `weight` smooths
 * points `referenceSpacing` apart. The finer data of a zoomed chart then looks like the coarse
 * data. An invalid spacing does not change the weight.
 */
export function weightFor(weight: number, spacing: number, referenceSpacing: number): number {
  const ratio = spacing / referenceSpacing;
  return ratio > 0 && Number.isFinite(ratio) ? weight ** ratio : weight;
}

/** Mean distance between rising positions; NaN if there are fewer than two. */
export function meanSpacing(positions: Float64Array): number {
  const last = positions.length - 1;
  return last > 0 ? (positions[last]! - positions[0]!) / last : Number.NaN;
}
