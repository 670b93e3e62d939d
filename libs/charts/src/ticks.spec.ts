import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeScale, scaleKinds } from './scale.ts';
import { ticksOf, timeTicks } from './ticks.ts';

describe('ticks', () => {
  it('are round', () => {
    expect(ticksOf(makeScale('linear', 0, 1))).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(ticksOf(makeScale('linear', 0.03, 0.97))).toEqual([0.2, 0.4, 0.6, 0.8]);
    expect(ticksOf(makeScale('linear', -3, 4999))).toEqual([0, 1000, 2000, 3000, 4000]);
    expect(ticksOf(makeScale('linear', 1e-7, 9e-7))).toEqual([2e-7, 4e-7, 6e-7, 8e-7]);
    expect(ticksOf(makeScale('log', 0.002, 50))).toEqual([0.01, 0.1, 1, 10]);
    expect(ticksOf(makeScale('log', 1.5, 12))).toEqual([2, 5, 10]);
    expect(ticksOf(makeScale('log', 0.3, 25))).toEqual([0.5, 1, 5, 10]);
    expect(ticksOf(makeScale('log', 0.3, 25), 3)).toEqual([1, 10]);
    expect(ticksOf(makeScale('log', 11, 19))).toEqual([12, 14, 16, 18]);
    expect(ticksOf(makeScale('log', 1e-9, 1e9)).length).toBeLessThanOrEqual(5);
    expect(ticksOf(makeScale('symlog', -1000, 1000, 1))).toEqual([-100, 0, 100]);
  });

  it.each(scaleKinds)('%s: are few, ascending and inside', (kind) => {
    const end = fc.double({ min: 1e-12, max: 1e12, noNaN: true });
    fc.assert(
      fc.property(end, end, (a, b) => {
        fc.pre(Math.max(a, b) > Math.min(a, b) * 1.001);
        const scale = makeScale(kind, Math.min(a, b), Math.max(a, b), Math.min(a, b));
        const ticks = ticksOf(scale);
        expect(ticks.length).toBeLessThanOrEqual(6);
        const air = (scale.max - scale.min) * 1e-8; // of rounding, far less than a pixel
        ticks.forEach((tick, i) => {
          expect(tick).toBeGreaterThanOrEqual(scale.min - air);
          expect(tick).toBeLessThanOrEqual(scale.max + air);
          if (i > 0) expect(tick).toBeGreaterThan(ticks[i - 1]!);
        });
      }),
    );
  });

  it('of an empty range or a single value terminate', () => {
    expect(ticksOf(makeScale('linear', 3, 3))).toEqual([3]);
    expect(ticksOf(makeScale('linear', Number.NaN, Number.NaN))).toEqual([]);
  });

  it('of time are whole minutes and hours', () => {
    expect(timeTicks(0, 3600)).toEqual([0, 900, 1800, 2700, 3600]);
    expect(timeTicks(10, 290)).toEqual([60, 120, 180, 240]);
    expect(timeTicks(0, 90 * 86_400).length).toBeLessThanOrEqual(5);
    expect(timeTicks(0, 5000 * 86_400).length).toBeLessThanOrEqual(5);
    // Midnight in a time zone two hours ahead of UTC
    expect(timeTicks(0, 3 * 86_400, 5, () => 7200)).toEqual([79_200, 165_600, 252_000]);
  });
});
