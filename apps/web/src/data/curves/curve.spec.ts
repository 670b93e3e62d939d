import { expect, it } from 'vitest';
import { areasOf, type Curve, drawnThresholds, nearestThreshold, readCurve } from './curve.ts';
import cases from './testing/curves.json' with { type: 'json' };

/** A curve with these recalls, each of which has at least one positive. */
function curveOf(recall: number[]): Curve {
  return { recall, precision: recall.map(() => 0.5), truePositives: recall.map(() => 1), falsePositives: recall.map(() => 1) };
}

it('returns the middle threshold of those with the same recall', () => {
  const curve = curveOf([1, 1, 1, 0.5, 0.5, 0, 0, 0]);
  expect([1, 0.9, 0.6, 0.25, 0, -1].map((at) => nearestThreshold(curve, at))).toEqual([1, 1, 3, 3, 6, 6]);
  expect(nearestThreshold(curveOf([]), 0.5)).toBe(0);
});

it('leaves out thresholds at which nothing is positive: the curve has no segment to (0, 0)', () => {
  const curve = {
    truePositives: [75, 64, 21, 5, 0, 0],
    falsePositives: [150, 105, 18, 0, 0, 0],
    precision: [1 / 3, 64 / 169, 21 / 39, 1, 0, 0],
    recall: [1, 64 / 75, 21 / 75, 5 / 75, 0, 0],
  };
  expect(drawnThresholds(curve)).toEqual([0, 1, 2, 3]);
  expect(nearestThreshold(curve, 0)).toBe(3);
});

it('keeps a threshold without true positives that has false ones, and draws nothing that is not finite', () => {
  expect(
    drawnThresholds({ truePositives: [3, 0, 0, 1], falsePositives: [1, 2, 0, 1], precision: [0.75, 0, NaN, NaN], recall: [1, 0, 0, 1] }),
  ).toEqual([0, 1]);
  expect(nearestThreshold({ truePositives: [0], falsePositives: [0], precision: [0], recall: [0] }, 0.5)).toBe(0);
});

it.each(cases)('computes the areas of scikit-learn: $name', ({ thresholds, data, averagePrecision, area }) => {
  const areas = areasOf(readCurve({ dtype: 'DT_FLOAT', shape: [6, thresholds], data })!);
  expect(areas.averagePrecision).toBeCloseTo(averagePrecision, 6);
  expect(areas.area).toBeCloseTo(area, 6);
});

it('has no areas if no example is positive', () => {
  const none = { precision: [0, 0], recall: [0, 0], truePositives: [0, 0], falsePositives: [3, 0] };
  expect(areasOf(none)).toEqual({ averagePrecision: null, area: null });
});
