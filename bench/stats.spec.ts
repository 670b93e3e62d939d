import { expect, test } from 'vitest';
import { median, quantile } from './stats.ts';

test('median and quantiles do not depend on the order of the samples', () => {
  expect(median([5, 1, 3])).toBe(3);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(quantile([10, 0], 0.99)).toBeCloseTo(9.9);
  expect(quantile([7], 0.99)).toBe(7);
  expect(median([])).toBeNaN();
});
