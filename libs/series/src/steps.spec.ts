import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { narrowSteps, wideSteps } from './steps.ts';

const safe = { min: BigInt(Number.MIN_SAFE_INTEGER), max: BigInt(Number.MAX_SAFE_INTEGER) };

describe('steps as int64', () => {
  it('are the same steps that were narrowed to float64', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(safe)), (numbers) => {
        const steps = BigInt64Array.from(numbers.sort((a, b) => (a < b ? -1 : 1)));
        const narrow = narrowSteps(steps);
        expect(narrow).toBeInstanceOf(Float64Array);
        expect(wideSteps(narrow)).toEqual(steps);
      }),
    );
  });

  it('are exact where the lower 32 bits overflow, and at both ends of the safe numbers', () => {
    const near = [0, 1, 2 ** 31, 2 ** 32, 2 ** 33, Number.MAX_SAFE_INTEGER - 1];
    const numbers = near.flatMap((n) => [n - 1, n, n + 1, 1 - n, -n, -n - 1]);
    expect(wideSteps(Float64Array.from(numbers))).toEqual(BigInt64Array.from(numbers, BigInt));
    expect(wideSteps(Float64Array.of(-0))).toEqual(BigInt64Array.of(0n));
  });

  it('beyond the safe numbers stay as they are', () => {
    const steps = BigInt64Array.of(-(2n ** 63n), 2n ** 53n, 2n ** 63n - 1n);
    expect(wideSteps(narrowSteps(steps))).toBe(steps);
  });
});
