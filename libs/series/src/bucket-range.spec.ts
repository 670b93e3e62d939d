import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bucketBounds } from '#chunks';
import { shareBuckets } from './bucket-range.ts';

const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -5_000n, max: 5_000n }),
  fc.bigInt({ min: 2n ** 53n - 50n, max: 2n ** 53n + 50n }),
);

it('computes the bounds of #chunks for every range, in both arithmetics', () => {
  fc.assert(
    fc.property(int64, int64, fc.integer({ min: 1, max: 3_000 }), (a, b, points) => {
      const [from, to] = a < b ? [a, b] : [b, a];
      expect(Array.from(shareBuckets(from, to, points).bounds, BigInt)).toEqual([...bucketBounds(from, to, points)]);
    }),
  );
});

it('gives one bucket per step when there are fewer steps than points', () => {
  expect([...shareBuckets(-2n, 2n, 1_000).bounds]).toEqual([-2, -1, 0, 1, 2]);
});

it('gives no bucket for an empty range', () => {
  expect(shareBuckets(3n, 2n, 10).bounds.length).toBe(0);
});
