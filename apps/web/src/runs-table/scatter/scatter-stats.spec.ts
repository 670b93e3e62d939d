import { expect, it } from 'vitest';
import { boxOf, rankCorrelation, ranks } from './scatter-stats.ts';

it('gives equal values the mean of their ranks', () => {
  expect([...ranks([3, 1, 3, 2, 3])]).toEqual([4, 1, 4, 2, 4]);
});

it('correlates ranks as numpy does', () => {
  // The `numpy.corrcoef` of the ranks of [1, 2, 3, 4, 5, 6, 7] and [1, 3, 2, 5, 5, 4, 9], which is
  // what scipy.stats.spearmanr computes
  const found = rankCorrelation([1, 3, 2, 5, 5, 4, 9].map((y, i) => [i + 1, y] as const))!;
  expect(found.rho).toBeCloseTo(0.8468812149338255, 12);
  expect(found.count).toBe(7);
  expect(found.low).toBeLessThan(found.rho);
  expect(found.high).toBeGreaterThan(found.rho);
  expect(rankCorrelation([1, 2, 3, 4, 5].map((x) => [x, -(x ** 3)] as const))).toMatchObject({ rho: -1, low: -1, high: -1 });
});

it('leaves out what is not finite, and says nothing of few or constant values', () => {
  const pairs = [1, 2, 3, 4, 5].map((x) => [x, x] as const);
  expect(rankCorrelation([...pairs, [Number.NaN, 1], [1, Infinity]])!.count).toBe(5);
  expect(rankCorrelation(pairs.slice(1))).toBeNull();
  expect(rankCorrelation(pairs.map(([x]) => [x, 7] as const))).toBeNull();
});

it('draws boxes with the same quantiles as numpy', () => {
  // numpy.quantile([1, 2, 4, 8, 16, 100], [0.25, 0.5, 0.75])
  expect(boxOf([100, 2, 1, 16, 4, Number.NaN, 8])).toEqual({ low: 1, q1: 2.5, median: 6, q3: 14, high: 16, count: 6 });
  expect(boxOf([5])).toEqual({ low: 5, q1: 5, median: 5, q3: 5, high: 5, count: 1 });
  expect(boxOf([Infinity, Number.NaN])).toBeNull();
});
