import { expect, it } from 'vitest';
import { extentText } from './extent-text.ts';

it.each([
  [0.0123456, 2.5, '0.0123 to 2.5'],
  [-1e-9, 1e-9, '−1e-9 to 1e-9'],
  [1e9, 1e9 + 0.4, '1000000000 to 1000000000.4'],
  [2.371e-4, 2.379e-4, '0.0002371 to 0.0002379'],
])('an axis from %d to %d is announced as %s', (min, max, text) => expect(extentText({ min, max })).toBe(text));
