import { expect, it } from 'vitest';
import { sparklinePath } from './sparkline-path.ts';

it('draws each value at its step, the largest on top', () => {
  expect(sparklinePath({ steps: [0, 10, 40], values: [1, 3, 2] })).toBe('M2 18L23 2L86 10');
});

it('has gaps at values that are not finite, and shows isolated points', () => {
  expect(sparklinePath({ steps: [0, 1, 2, 3, 4], values: [0, 'NaN', 1, 'Infinity', 0] })).toBe('M2 18h0.01M44 2h0.01M86 18h0.01');
});

it('positions a single value, and equal ones', () => {
  expect(sparklinePath({ steps: [7], values: [5] })).toBe('M44 10h0.01');
  expect(sparklinePath({ steps: [0, 1], values: [5, 5] })).toBe('M2 10L86 10');
  expect(sparklinePath({ steps: [], values: [] })).toBe('');
  expect(sparklinePath({ steps: ['9007199254740993', '9007199254740995'], values: [0, 1] })).toMatch(/^M2 18L86 2$/);
});
