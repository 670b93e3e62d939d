import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PointColumns } from '#model';
import { BucketBuilder, type BucketColumns, bucketBounds, bucketIndex } from './buckets.ts';
import { rollups } from './rollup.ts';
import { summarize } from './summary.ts';
import { naiveStatistics } from './testing/naive.ts';
import { anyPoints } from './testing/point-arbitraries.ts';
import { slicePoints } from './point-slices.ts';

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

/** Points like those of an effective series: steps strictly rise. */
const risingPoints = fc
  .tuple(
    anyPoints({ minLength: 1, maxLength: 900 }),
    fc.bigInt({ min: -1000n, max: 1000n }),
    fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 }),
  )
  .map(([points, first, gaps]): PointColumns => {
    let step = first;
    return { ...points, steps: BigInt64Array.from(points.steps, (_, i) => (step += BigInt(gaps[i % gaps.length]!))) };
  });

/** The buckets of these points, computed point by point. */
function naiveBuckets(points: PointColumns, bounds: BigInt64Array, to: bigint): unknown[] {
  const rows: unknown[] = [];
  for (let k = 0; k < bounds.length; k++) {
    const inside = [...points.steps.keys()].filter((i) => {
      const step = points.steps[i]!;
      return step >= bounds[k]! && step <= to && (k + 1 === bounds.length || step < bounds[k + 1]!);
    });
    if (inside.length > 0) rows.push(row(points, inside[0]!, inside.at(-1)! + 1));
  }
  return rows;
}

function row(points: PointColumns, from: number, to: number): unknown {
  const { nanCount: _, ...naive } = naiveStatistics(points, from, to);
  return {
    ...naive,
    min: naive.min ?? Number.NaN,
    max: naive.max ?? Number.NaN,
    minStep: naive.minStep ?? naive.step,
    maxStep: naive.maxStep ?? naive.step,
  };
}

function rowsOf(buckets: BucketColumns): unknown[] {
  return [...buckets.step.keys()].map((i) => Object.fromEntries(Object.entries(buckets).map(([name, column]) => [name, column[i]])));
}

describe('bucket bounds', () => {
  it('divide the range evenly and without overflow', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: int64Min, max: int64Max }),
        fc.bigInt({ min: int64Min, max: int64Max }),
        fc.integer({ min: 1, max: 50 }),
        (a, b, buckets) => {
          const [from, to] = a < b ? [a, b] : [b, a];
          const bounds = bucketBounds(from, to, buckets);
          const span = to - from + 1n;
          expect(bounds.length).toBe(Number(span < BigInt(buckets) ? span : BigInt(buckets)));
          expect(bounds[0]).toBe(from);
          const widths = [...bounds].map((bound, k) => (bounds[k + 1] ?? to + 1n) - bound);
          const widest = widths.reduce((x, y) => (x > y ? x : y));
          expect(widths.every((width) => widest - width <= 1n && width > 0n)).toBe(true);
          expect([bucketIndex(bounds, from), bucketIndex(bounds, to)]).toEqual([0, bounds.length - 1]);
        },
      ),
    );
  });

  it('are one per step if there are fewer steps than buckets, and none for an empty range', () => {
    expect([...bucketBounds(3n, 5n, 10)]).toEqual([3n, 4n, 5n]);
    expect([...bucketBounds(5n, 3n, 10)]).toEqual([]);
  });
});

describe('buckets', () => {
  it('of points equal those of a naive scan', () => {
    fc.assert(
      fc.property(
        risingPoints,
        fc.bigInt({ min: -1100n, max: 4000n }),
        fc.bigInt({ min: 0n, max: 9000n }),
        fc.integer({ min: 1, max: 60 }),
        (points, from, span, count) => {
          const bounds = bucketBounds(from, from + span, count);
          const builder = new BucketBuilder(bounds, from + span);
          builder.addPoints(points);
          expect(rowsOf(builder.finish())).toEqual(naiveBuckets(points, bounds, from + span));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('of points in any slices and any order equal those of all points at once', () => {
    fc.assert(
      fc.property(
        risingPoints,
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.integer({ min: 1, max: 30 }),
        fc.boolean(),
        (points, cutsAt, count, throughBuckets) => {
          const to = points.steps.at(-1)!;
          const bounds = bucketBounds(points.steps[0]!, to, count);
          const ends = [...new Set([0, ...cutsAt.map((at) => at % points.steps.length), points.steps.length])].sort((a, b) => a - b);
          const slices = ends.slice(1).map((end, i) => [ends[i]!, end] as const);
          const builder = new BucketBuilder(bounds, to);
          for (const [from, end] of slices.reverse()) {
            if (!throughBuckets) builder.addPoints(points, from, end);
            else {
              const part = new BucketBuilder(bounds, to);
              part.addPoints(slicePoints(points, from, end));
              builder.addBuckets(part.finish());
            }
          }
          const whole = new BucketBuilder(bounds, to);
          whole.addPoints(points);
          expect(builder.finish()).toEqual(whole.finish());
        },
      ),
      { numRuns: 200 },
    );
  });

  it('of points divided over several builders equal those of all points at once', () => {
    fc.assert(
      fc.property(
        risingPoints,
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat(2), { minLength: 1, maxLength: 50 }),
        (points, count, dealt) => {
          const to = points.steps.at(-1)!;
          const bounds = bucketBounds(points.steps[0]!, to, count);
          const shares = [0, 1, 2].map(() => new BucketBuilder(bounds, to));
          for (let i = 0; i < points.steps.length; i++) shares[dealt[i % dealt.length]!]!.addPoints(points, i, i + 1);
          const builder = new BucketBuilder(bounds, to);
          for (const share of shares) builder.addBuckets(share.finish());
          expect(rowsOf(builder.finish())).toEqual(naiveBuckets(points, bounds, to));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('of cells and summaries are exact from their step to their last step', () => {
    fc.assert(
      fc.property(
        risingPoints,
        fc.integer({ min: 1, max: 30 }),
        fc.constantFrom('cells64', 'cells512', 'summary'),
        (points, count, level) => {
          const to = points.steps.at(-1)!;
          const builder = new BucketBuilder(bucketBounds(points.steps[0]!, to, count), to);
          const summary = summarize(points);
          if (level === 'summary') builder.addSummary(summary);
          else builder.addCells(rollups(points)[level], summary);
          const buckets = builder.finish();
          expect(rowsOf(buckets)).toEqual(
            [...buckets.step.keys()].map((i) =>
              row(points, points.steps.indexOf(buckets.step[i]!), points.steps.indexOf(buckets.lastStep[i]!) + 1),
            ),
          );
          expect(buckets.count.reduce((a, b) => a + b, 0)).toBe(points.steps.length);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('reject a cell that the end of the range cuts', () => {
    const steps = BigInt64Array.from({ length: 64 }, (_, i) => BigInt(i));
    const points = { steps, wallTimes: new Float64Array(64), values: new Float64Array(64) };
    const builder = new BucketBuilder(bucketBounds(0n, 40n, 4), 40n);
    expect(() => builder.addCells(rollups(points).cells64, summarize(points))).toThrow(RangeError);
  });
});
