import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointsOf } from './curve.ts';
import { hasDiverged, goalOf, rankOf, trendOf } from './metrics.ts';
import { joined, type ScalarSeries, type Bucket, bucketsOf } from './scalar-summary.ts';

/** Raw points as the API sends them. */
const raw = (values: readonly number[]): ScalarSeries => ({
  run: 'r',
  tag: 't',
  sampling: 'raw',
  source_points: values.length,
  columns: {
    step: values.map((_, i) => i),
    wall_time: values.map(() => 0),
    value: values.map((value) => (Number.isFinite(value) ? value : String(value))),
  },
});
/** Buckets of these sizes over the points. */
const bucketed = (values: readonly number[], size: number): Bucket[] => {
  const points = bucketsOf(raw(values));
  return Array.from({ length: Math.ceil(points.length / size) }, (_, i) => joined(points.slice(i * size, (i + 1) * size))!);
};
const anyFloat = fc.oneof({ weight: 9, arbitrary: fc.double({ noNaN: true }) }, { weight: 1, arbitrary: fc.constant(NaN) });

describe('the points of a curve', () => {
  it('were logged, are few, in order, and include every extreme, the first and the last', () => {
    fc.assert(
      fc.property(
        fc.array(anyFloat, { minLength: 1, maxLength: 400 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 4, max: 50 }),
        (values, size, max) => {
          const points = pointsOf(bucketed(values, size), max);
          expect(points.length).toBeLessThanOrEqual(max);
          const steps = points.map(({ step }) => Number(step));
          expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
          for (const { step, value } of points) expect(Number(value)).toBe(values[Number(step)]);
          const shown = points.map(({ value }) => Number(value));
          const numbers = values.filter((value) => !Number.isNaN(value));
          if (numbers.length > 0) {
            expect(shown).toContain(numbers.reduce((a, b) => Math.min(a, b)));
            expect(shown).toContain(numbers.reduce((a, b) => Math.max(a, b)));
          }
          expect([steps[0], steps.at(-1)]).toEqual([0, values.length - 1]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('are all of them if they fit', () => {
    expect(pointsOf(bucketed([1, 2, 3], 1), 4)).toEqual([0, 1, 2].map((step) => ({ step, value: step + 1 })));
  });
});

describe('metrics', () => {
  it.each([
    ['loss', 'min', 1],
    ['val/loss', 'min', 0],
    ['train_loss', 'min', 1],
    ['eval/accuracy', 'max', 0],
    ['mean_reward', 'max', 1],
    ['glossary', null, 3],
    ['lr', null, 3],
    ['system/cpu', null, 4],
  ])('%s is better at its %s', (tag, goal, rank) => {
    expect([goalOf(tag), rankOf(tag)]).toEqual([goal, rank]);
  });

  it.each([
    ['falling', Array.from({ length: 40 }, (_, i) => 10 - i / 10)],
    ['rising', Array.from({ length: 40 }, (_, i) => i / 10)],
    ['flat', Array.from({ length: 40 }, (_, i) => (i < 10 ? 10 - i : (i % 2) / 20))],
    [null, [1, 2, 3]],
    [null, Array.from({ length: 40 }, () => NaN)],
  ])('a trend is %s', (trend, values) => {
    expect(trendOf(raw(values))).toBe(trend);
  });

  it.each([
    [true, [2, 0.5, 5]],
    [true, [1, 1, 9]],
    [true, [1, 0.5, NaN]],
    [false, [2, 0.5, 0.6]],
    [false, [1, 0.99, 1.02]],
    [false, [2, 0.5, 2.1]],
  ] as const)('a loss diverged: %s, with first, smallest and last %s', (diverged, [first, smallest, last]) => {
    expect(hasDiverged(first, smallest, last)).toBe(diverged);
  });
});
