import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonFloat, jsonFloats, jsonInteger, jsonIntegers } from './json-numbers.ts';

const restored = (value: number | string): number => (typeof value === 'string' ? Number(value) : value);

it('keeps every float64 bit for bit, in columns and alone', () => {
  const bits = fc.array(
    fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.constantFrom(0n, 1n << 63n, 0x7ff0n << 48n, 0xfff0n << 48n)),
    { minLength: 1_000, maxLength: 2_000, size: 'max' },
  );
  fc.assert(
    fc.property(bits, (words) => {
      const values = new Float64Array(BigUint64Array.from(words).buffer);
      const column = (JSON.parse(jsonFloats(values)) as (number | string)[]).map(restored);
      expect(column).toEqual([...values]); // distinguishes −0 from 0, and treats all NaN as equal
      expect(values.subarray(0, 50).every((value) => Object.is(restored(JSON.parse(jsonFloat(value)) as number | string), value))).toBe(
        true,
      );
    }),
    { numRuns: 70 },
  );
});

it('writes -0 as -0.0, and numbers that JSON lacks as strings', () => {
  expect(jsonFloats(Float64Array.of(1, -0, Number.NaN, Infinity, -Infinity, 5e-324))).toBe('[1,-0.0,"NaN","Infinity","-Infinity",5e-324]');
});

it('writes integers beyond 2^53 as strings, each on its own', () => {
  expect(jsonIntegers(BigInt64Array.of(0n, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 63n)))).toBe(
    '[0,9007199254740991,"9007199254740992","-9223372036854775808"]',
  );
  expect(jsonIntegers(Float64Array.of(3, -7))).toBe('[3,-7]');
  expect(jsonInteger(12)).toBe('12');
});
