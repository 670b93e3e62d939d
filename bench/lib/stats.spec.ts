import { expect, test } from 'vitest';
import { chanceOfMore, median, quantile } from './stats.ts';

test('median and quantiles do not depend on the order of the samples', () => {
  expect(median([5, 1, 3])).toBe(3);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(quantile([10, 0], 0.99)).toBeCloseTo(9.9);
  expect(quantile([7], 0.99)).toBe(7);
  expect(median([])).toBeNaN();
});

test('the probability of superiority is 0.5 for equal lists, and far from it for different ones', () => {
  expect(chanceOfMore([1, 2, 3], [3, 2, 1])).toBe(0.5);
  expect(chanceOfMore([1, 1], [1])).toBe(0.5);
  expect(chanceOfMore([5, 6], [1, 2, 3])).toBe(1);
  expect(chanceOfMore([0], [1, 2])).toBe(0);
  expect(chanceOfMore([2], [1, 2, 3])).toBe(0.5);
  expect(chanceOfMore([], [1])).toBeNaN();
});
