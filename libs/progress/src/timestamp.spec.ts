import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lessEqual, sameTime, timestamp } from './timestamp.ts';
import { anyTime } from './testing/random-graph.ts';
import { runs } from './testing/runs.ts';

describe('the order of times', () => {
  const three = fc.integer({ min: 0, max: 3 }).chain((depth) => fc.tuple(anyTime(depth), anyTime(depth), anyTime(depth)));

  it('is a partial order', () => {
    fc.assert(
      fc.property(three, ([a, b, c]) => {
        expect(lessEqual(a, a)).toBe(true);
        if (lessEqual(a, b) && lessEqual(b, a)) expect(sameTime(a, b)).toBe(true);
        if (lessEqual(a, b) && lessEqual(b, c)) expect(lessEqual(a, c)).toBe(true);
      }),
      { numRuns: runs },
    );
  });

  it('compares counters lexicographically, and epochs separately', () => {
    expect(lessEqual(timestamp(1, 0, 9), timestamp(1, 1, 0))).toBe(true);
    expect(lessEqual(timestamp(1, 5), timestamp(2, 0))).toBe(false);
    expect(lessEqual(timestamp(2, 0), timestamp(1, 5))).toBe(false);
  });

  it.each([[-1], [0.5], [2 ** 53], [Number.NaN]])('rejects %d as an epoch or a counter', (part) => {
    expect(() => timestamp(part)).toThrow(RangeError);
    expect(() => timestamp(0, part)).toThrow(RangeError);
  });
});
