/**
 * Debiased exponential moving average, as TensorBoard smooths: `weight` (0 to below 1) is what stays of the past at each point. What is not finite stays
 * as it is and leaves the average alone; a constant series stays constant, without rounding. `smoothed` takes the result, and has the length of `values`.
 */
export function smooth(values: Float64Array, weight: number, smoothed: Float64Array = new Float64Array(values.length)): Float64Array {
  const constant = isConstant(values);
  let average = 0;
  let share = 1; // of the average, what its start at 0 still makes up
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (constant || !Number.isFinite(value)) {
      smoothed[i] = value;
      continue;
    }
    average = average * weight + (1 - weight) * value;
    share *= weight;
    smoothed[i] = average / (1 - share);
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

function isConstant(values: Float64Array): boolean {
  for (let i = 1; i < values.length; i++) if (values[i] !== values[0]) return false;
  return true;
}
