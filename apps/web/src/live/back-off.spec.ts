import { expect, it } from 'vitest';
import { backOffMs } from './back-off.ts';

it('waits twice as long each time, a minute at most, and never as long as all others', () => {
  expect([1, 2, 3, 6, 7, 1000].map((failures) => backOffMs(failures, () => 0))).toEqual([1000, 2000, 4000, 32_000, 60_000, 60_000]);
  expect(backOffMs(2, () => 0.5)).toBe(1500);
});
