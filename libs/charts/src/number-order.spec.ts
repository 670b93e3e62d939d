import { expect, it } from 'vitest';
import { compareNumbers } from './number-order.ts';

it('sorts values that are not finite last, ascending and descending', () => {
  const values = [Number.NaN, 2, null, Infinity, -1, -Infinity, 0];
  expect(values.toSorted((a, b) => compareNumbers(a, b))).toEqual([-1, 0, 2, Infinity, -Infinity, Number.NaN, null]);
  expect(values.toSorted((a, b) => compareNumbers(a, b, true))).toEqual([2, 0, -1, Infinity, -Infinity, Number.NaN, null]);
});
