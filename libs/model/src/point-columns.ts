/**
 * Scalar points as columns of equal length n, in log order. `steps`: int64; `wallTimes`: seconds
 * since the epoch, any float64; `values`: any float64 (every NaN is the same NaN). The step column
 * is little-endian int64 in memory, so fast paths may read its buffer as Int32 pairs (low, high).
 */
export interface PointColumns {
  readonly steps: BigInt64Array;
  readonly wallTimes: Float64Array;
  readonly values: Float64Array;
}

/** Columns of length 0. */
export function emptyPoints(): PointColumns {
  return { steps: new BigInt64Array(0), wallTimes: new Float64Array(0), values: new Float64Array(0) };
}
