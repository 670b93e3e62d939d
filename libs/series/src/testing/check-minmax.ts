import { expect } from 'vitest';
import type { PointColumns } from '#model';
import type { SeriesResult } from '../scalar-result.ts';
import { columnsOf } from '../scalar-json.ts';
import { bucketFrom, naiveBuckets } from './naive-buckets.ts';

/** The points of a response that is not in buckets. */
export function pointsIn({ content }: SeriesResult): PointColumns {
  if (!('points' in content)) throw new Error('the series is in buckets');
  return content.points;
}

/** One column of a response. */
export function columnOf(response: SeriesResult, name: string): (number | bigint)[] {
  return [...columnsOf(response, null).find((column) => column.name === name)!.values];
}

/**
 * Checks a response against `all`, the effective points. Every bucket must be exact for the points
 * that it covers. All buckets except the first must start in different buckets of the range, and
 * together they must cover everything.
 */
export function checkMinmax(response: SeriesResult, all: PointColumns, points: number, range: { from: bigint; to: bigint }): void {
  const inside = all.steps.filter((step) => step >= range.from && step <= range.to).length;
  expect(response.sourcePoints).toBe(inside);
  expect(response.exact).toBe(true);
  if (inside <= points) {
    expect(response.sampling).toBe('raw');
    expect(pointsIn(response).steps.length).toBe(inside);
    return;
  }
  expect(response.sampling).toBe('minmax');
  const columns = Object.fromEntries(columnsOf(response, null).map((column) => [column.name, [...column.values] as (number | bigint)[]]));
  const steps = columns['step']!;
  expect(steps.length).toBeLessThanOrEqual(points);
  const bucketOf = naiveBuckets(range.from, range.to, points);
  // If all values of a series are finite, the counts of non-finite values are omitted.
  const noneNotFinite = 'nan_count' in columns ? {} : { nan_count: 0, inf_count: 0, neg_inf_count: 0 };
  const rows = steps.map((_, i): Record<string, unknown> => ({
    ...noneNotFinite,
    ...Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, name.endsWith('step') ? BigInt(values[i]!) : values[i]])),
  }));
  const expected = rows.map((row) => {
    const bucket = bucketFrom(all, row['step'] as bigint, row['last_step'] as bigint)!;
    // The sign of zero does not matter for the smallest or largest value.
    return { ...bucket, min: plainZero(bucket.min, row['min']), max: plainZero(bucket.max, row['max']) };
  });
  expect(rows).toEqual(expected);
  const buckets = steps.map((step) => bucketOf(BigInt(step)));
  // Buckets of regular steps follow the cells, so the first one can be shorter than a bucket of the
  // range
  const distinct = [...new Set(buckets)];
  expect(buckets).toEqual(buckets.toSorted((a, b) => a - b));
  expect(buckets.length - distinct.length).toBeLessThanOrEqual(1);
  expect(buckets.slice(1)).toEqual([...new Set(buckets.slice(1))]);
  expect(expected.reduce((sum, bucket) => sum + bucket.count, 0)).toBe(inside);
}

function plainZero(expected: number, given: unknown): unknown {
  return expected === 0 && given === 0 ? given : expected;
}
