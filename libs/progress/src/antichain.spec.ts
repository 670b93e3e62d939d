import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Antichain } from './antichain.ts';
import { anyTime } from './testing/random-graph.ts';
import { runs } from './testing/runs.ts';
import { lessEqual, sameTime } from './timestamp.ts';

const cases = fc
  .integer({ min: 0, max: 2 })
  .chain((depth) => fc.tuple(fc.array(anyTime(depth), { maxLength: 12 }), fc.array(anyTime(depth), { maxLength: 12 }), anyTime(depth)));

describe('an antichain', () => {
  it('holds only the minimal times, in any order', () => {
    fc.assert(
      fc.property(cases, ([times]) => {
        const { elements } = new Antichain(times);
        for (const a of elements) for (const b of elements) expect(a === b || !lessEqual(a, b)).toBe(true);
        for (const time of times) expect(elements.some((element) => lessEqual(element, time))).toBe(true);
        for (const element of elements) expect(times.some((time) => sameTime(time, element))).toBe(true);
        expect(new Antichain(times.toReversed()).equals(new Antichain(times))).toBe(true);
      }),
      { numRuns: runs },
    );
  });

  it('compares like the set of times behind it', () => {
    fc.assert(
      fc.property(cases, ([times, others, time]) => {
        const chain = new Antichain(times);
        expect(chain.lessEqual(time)).toBe(times.some((one) => lessEqual(one, time)));
        expect(chain.precedes(new Antichain(others))).toBe(others.every((other) => times.some((one) => lessEqual(one, other))));
      }),
      { numRuns: runs },
    );
  });

  it('if empty, precedes nothing and follows every other one', () => {
    expect(new Antichain().lessEqual({ epoch: 2 ** 53 - 1, counters: [] })).toBe(false);
    expect(new Antichain([{ epoch: 1, counters: [] }]).precedes(new Antichain())).toBe(true);
    expect(new Antichain().precedes(new Antichain([{ epoch: 1, counters: [] }]))).toBe(false);
  });
});
