import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markSuperseded } from './restart-rule.ts';
import { naiveSuperseded } from './testing/naive.ts';

const anyStep = fc.oneof(
  fc.bigInt({ min: -9n, max: 9n }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(2n ** 32n, 2n ** 32n - 1n, -(2n ** 32n), -(2n ** 63n), 2n ** 63n - 1n),
);
const anyLog = fc.array(fc.record({ step: anyStep, cut: fc.boolean() }), { maxLength: 40 });

describe('the restart rule', () => {
  it('marks what the definition marks, whatever the steps, cuts and floor (E.12, E.23)', () => {
    fc.assert(
      fc.property(anyLog, fc.option(anyStep), (log, floor) => {
        const points = log.filter((entry) => !entry.cut);
        const cuts = log.flatMap((entry, i) =>
          entry.cut ? [{ before: log.slice(0, i).filter((earlier) => !earlier.cut).length, step: entry.step }] : [],
        );
        const marks = markSuperseded(
          BigInt64Array.from(points, (point) => point.step),
          cuts,
          floor,
        );

        const whole = floor === null ? log : [...log, { step: floor, cut: true }];
        const expected = naiveSuperseded(whole).filter((_, i) => !whole[i]!.cut);
        expect([...marks.superseded].map(Boolean)).toEqual(expected);
        expect(marks.count).toBe(expected.filter(Boolean).length);
        const steps = log.map((entry) => entry.step).sort((a, b) => (a < b ? -1 : 1));
        expect(marks.minStep).toBe(steps[0] ?? null);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps the last of equal steps', () => {
    expect([...markSuperseded(BigInt64Array.of(5n, 5n, 5n), [], null).superseded]).toEqual([1, 1, 0]);
  });

  it('makes a START supersede its own step and larger ones before it, and nothing after it', () => {
    const marks = markSuperseded(BigInt64Array.of(1n, 2n, 3n, 9n), [{ before: 3, step: 2n }], null);
    expect([...marks.superseded]).toEqual([0, 1, 1, 0]);
  });
});
