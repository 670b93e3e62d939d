import type { TensorJson } from '../values.ts';

/** A precision-recall curve, with one entry per threshold from 0 to 1. */
export interface Curve {
  readonly precision: readonly number[];
  readonly recall: readonly number[];
  readonly truePositives: readonly number[];
  readonly falsePositives: readonly number[];
}

/** Rows of the tensor, in the plugin's order: TP, FP, TN, FN, precision, recall. */
const rows = { truePositives: 0, falsePositives: 1, precision: 4, recall: 5 } as const;

/** Reads a tensor of shape `[6, thresholds]`; null for any other shape. */
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

/**
 * The thresholds with a point in the plot: those at which any value counts as positive. If TP + FP
 * is 0, precision is undefined; the plugin writes 0, which is not a point on the curve.
 */
export function drawnThresholds({ precision, recall, truePositives, falsePositives }: Curve): number[] {
  return recall.flatMap((_, i) => {
    const positives = truePositives[i]! + falsePositives[i]!;
    return positives !== 0 && Number.isFinite(recall[i]) && Number.isFinite(precision[i]) ? [i] : [];
  });
}

/**
 * The drawn threshold with the recall nearest to `recall`. If several have the same recall, the
 * middle one. If none is drawn, the first threshold.
 */
export function nearestThreshold(curve: Curve, recall: number): number {
  const { recall: all } = curve;
  const drawn = drawnThresholds(curve);
  let first = 0;
  let last = 0;
  for (let i = 1; i < drawn.length; i++) {
    const here = all[drawn[i]!]!;
    const best = all[drawn[first]!]!;
    if (Math.abs(here - recall) < Math.abs(best - recall)) first = last = i;
    else if (here === best) last = i;
  }
  return drawn[Math.floor((first + last) / 2)] ?? 0;
}

/** The area under a curve, computed in two ways. Null if nothing is positive. */
export interface CurveAreas {
  /**
   * The mean precision, with each precision weighted by the increase in recall from the threshold
   * above.
   */
  readonly averagePrecision: number | null;
  /** By the trapezoidal rule, from the point (recall 0, precision 1). */
  readonly area: number | null;
}

/**
 * The areas as scikit-learn computes them (`average_precision_score`, and `auc` of
 * `precision_recall_curve`), from the logged thresholds. A score between two thresholds counts as
 * the lower one, so the areas equal the areas for all scores only if there are enough thresholds.
 */
export function areasOf(curve: Curve): CurveAreas {
  const drawn = drawnThresholds(curve);
  if (!drawn.some((i) => curve.truePositives[i]! > 0)) return { averagePrecision: null, area: null };
  let averagePrecision = 0;
  let area = 0;
  let last = { recall: 0, precision: 1 };
  for (const i of drawn.toReversed()) {
    const next = { recall: curve.recall[i]!, precision: curve.precision[i]! };
    averagePrecision += (next.recall - last.recall) * next.precision;
    area += ((next.recall - last.recall) * (next.precision + last.precision)) / 2;
    last = next;
  }
  return { averagePrecision, area };
}
