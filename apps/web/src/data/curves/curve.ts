import type { TensorJson } from '../values.ts';

/** A precision-recall curve: one entry for each threshold, from 0 to 1. */
export interface Curve {
  readonly precision: readonly number[];
  readonly recall: readonly number[];
  readonly truePositives: readonly number[];
  readonly falsePositives: readonly number[];
}

/** Rows of the tensor, as the plugin writes them: TP, FP, TN, FN, precision, recall. */
const rows = { truePositives: 0, falsePositives: 1, precision: 4, recall: 5 } as const;

/** Reads a tensor of shape `[6, thresholds]`; null for any other. */
export function readCurve({ shape, data }: TensorJson): Curve | null {
  const [count, thresholds] = shape;
  if (count !== 6 || thresholds === undefined || thresholds < 1 || data.length !== 6 * thresholds) return null;
  const row = (index: number): number[] => data.slice(index * thresholds, (index + 1) * thresholds).map(Number);
  return {
    precision: row(rows.precision),
    recall: row(rows.recall),
    truePositives: row(rows.truePositives),
    falsePositives: row(rows.falsePositives),
  };
}

/** The threshold whose recall is nearest to `recall`; of several with the same recall, the one in the middle. */
export function nearestThreshold({ recall: all }: Pick<Curve, 'recall'>, recall: number): number {
  let first = 0;
  let last = 0;
  for (let i = 1; i < all.length; i++) {
    if (Math.abs(all[i]! - recall) < Math.abs(all[first]! - recall)) first = last = i;
    else if (all[i] === all[first]) last = i;
  }
  return Math.floor((first + last) / 2);
}
