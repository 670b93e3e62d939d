import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summarize } from './summary.ts';
import { naiveStatistics } from './testing/naive.ts';
import { anyPoints, pointsOf } from './testing/point-arbitraries.ts';

describe('a chunk summary', () => {
  it('equals that of a naive scan', () => {
    fc.assert(
      fc.property(anyPoints({ minLength: 1, maxLength: 200 }), fc.nat(), fc.nat(), (points, a, b) => {
        const count = points.steps.length;
        const from = a % count;
        const to = from + 1 + (b % (count - from));
        const summary = summarize(points, from, to);
        const naive = naiveStatistics(points, from, to);
        expect({
          count: summary.count,
          step: summary.firstStep,
          lastStep: summary.lastStep,
          first: summary.firstValue,
          last: summary.lastValue,
          min: summary.minValue,
          max: summary.maxValue,
          minStep: summary.minStep,
          maxStep: summary.maxStep,
          wallTime: summary.firstWall,
          nanCount: summary.nanCount,
        }).toEqual(naive);
        const walls = [...points.wallTimes.subarray(from, to)].filter((wallTime) => !Number.isNaN(wallTime)).sort((x, y) => x - y);
        expect(summary.minWall === (walls[0] ?? Number.NaN) || (walls.length === 0 && Number.isNaN(summary.minWall))).toBe(true);
        expect(summary.maxWall === (walls.at(-1) ?? Number.NaN) || (walls.length === 0 && Number.isNaN(summary.maxWall))).toBe(true);
        expect(summary.lastWall).toBe(points.wallTimes[to - 1]);
      }),
      { numRuns: 500 },
    );
  });

  it('has a stride exactly if first + i · stride gives every step', () => {
    fc.assert(
      fc.property(anyPoints({ minLength: 2, maxLength: 100 }), (points) => {
        const { stride, firstStep } = summarize(points);
        const difference = points.steps[1]! - points.steps[0]!;
        const regular = points.steps.every((step, i) => step === firstStep + BigInt(i) * difference);
        expect(stride).toBe(regular && BigInt.asIntN(64, difference) === difference ? difference : null);
      }),
      { numRuns: 500 },
    );
  });

  it('has stride 0 for a single point, and no stride beyond int64', () => {
    expect(summarize(pointsOf([[4n, 0, 0]])).stride).toBe(0n);
    expect(
      summarize(
        pointsOf([
          [-(2n ** 63n), 0, 0],
          [2n ** 63n - 1n, 0, 0],
        ]),
      ).stride,
    ).toBeNull();
  });

  it('counts infinities as values', () => {
    for (const value of [Infinity, -Infinity]) {
      const summary = summarize(
        pointsOf([
          [1n, 0, Number.NaN],
          [2n, 0, value],
        ]),
      );
      expect([summary.minValue, summary.minStep, summary.maxValue, summary.maxStep]).toEqual([value, 2n, value, 2n]);
    }
  });

  it('keeps the earlier of 0 and −0', () => {
    const summary = summarize(
      pointsOf([
        [1n, 0, -0],
        [2n, 0, 0],
      ]),
    );
    expect([summary.minStep, summary.maxStep]).toEqual([1n, 1n]);
    expect(Object.is(summary.maxValue, -0)).toBe(true);
  });
});
