import { expect, it } from 'vitest';
import { pause, triesFor } from './backoff.ts';

const backoff = { firstMs: 1_000, maxMs: 30_000 };

it('doubles each delay, up to the bound', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 400].map((failures) => pause(failures, backoff))).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ]);
});

it('retries often enough to wait that long in total, and at least once', () => {
  expect(triesFor(60_000, backoff)).toBe(7);
  expect(triesFor(480_000, backoff)).toBe(21);
  expect(triesFor(1, backoff)).toBe(2);
  for (const forMs of [60_000, 480_000, 3_600_000]) {
    const pauses = Array.from({ length: triesFor(forMs, backoff) - 1 }, (_, i) => pause(i + 1, backoff));
    const waited = pauses.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThanOrEqual(forMs);
    expect(waited - pauses.at(-1)!).toBeLessThan(forMs);
  }
});
