import { expect, it } from 'vitest';
import { backOffMs } from './back-off.ts';

it('doubles each delay, up to a minute, with random jitter', () => {
  expect([1, 2, 3, 6, 7, 1000].map((failures) => backOffMs(failures, () => 0))).toEqual([1000, 2000, 4000, 32_000, 60_000, 60_000]);
  expect(backOffMs(2, () => 0.5)).toBe(1500);
});
