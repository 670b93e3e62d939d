import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tableFloat } from './table-float.ts';

it.each<[number, string]>([
  [1, '1.0'],
  [-3, '-3.0'],
  [0, '0.0'],
  [-0, '-0.0'],
  [0.5, '0.5'],
  [9999999999999998, '9999999999999998.0'],
  [1e16, '1e+16'],
  [2 ** 63, '9.223372036854776e+18'],
  [2 ** 64, '1.8446744073709552e+19'],
  [1e20, '1e+20'],
  [-1e300, '-1e+300'],
  [NaN, 'NaN'],
  [-Infinity, '-Infinity'],
])('formats %d as a float, as Python does', (value, text) => expect(tableFloat(value)).toBe(text));

it('parses back to the same number, and never to an integer', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double(), fc.integer(), fc.maxSafeInteger()), (value) => {
      const text = tableFloat(value);
      expect(Object.is(Number(text), value)).toBe(true);
      expect(text).toMatch(/[.eN]|Infinity/);
    }),
  );
});
