import fc from 'fast-check';
import { type PointColumns, seededRandom } from '#model';

/** Points from rows of step, wall time, value. */
export function pointsOf(rows: readonly (readonly [bigint, number, number])[]): PointColumns {
  return {
    steps: BigInt64Array.from(rows, ([step]) => step),
    wallTimes: Float64Array.from(rows, ([, wallTime]) => wallTime),
    values: Float64Array.from(rows, ([, , value]) => value),
  };
}

/** The bits of a float64 column, so that NaN equals itself and −0 differs from 0. */
export function bits(numbers: Float64Array): bigint[] {
  return [...new BigUint64Array(numbers.slice().buffer)];
}

const edgeSteps = [0n, 1n, -1n, 2n ** 31n, 2n ** 32n, -(2n ** 32n), 2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)];

const anyStep = fc.oneof(
  fc.bigInt({ min: -20n, max: 20n }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(...edgeSteps),
);

const anyWallTime = fc.oneof(
  fc.double({ min: 1.7e9, max: 1.8e9, noNaN: true }),
  fc.integer({ min: 0, max: 2 ** 31 }).map((microseconds) => 1.7e9 + microseconds / 1e6),
  fc.double(),
  fc.constantFrom(0, -0, -1.5, Infinity, Number.NaN, 5e-324),
);

/** Any float64; often a float32 or a small number. */
export const anyValue = fc.oneof(
  fc.float(),
  fc.double(),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(Number.NaN, Infinity, -Infinity, 0, -0),
);

/** Columns with a single kind of number (to reach the compact forms) or mixed ones. */
export function anyPoints(size: { minLength: number; maxLength: number }): fc.Arbitrary<PointColumns> {
  return fc
    .record({
      count: fc.integer({ min: size.minLength, max: size.maxLength }),
      steps: fc.oneof(column(anyStep), strided()),
      wallTimes: fc.oneof(
        column(anyWallTime),
        column(fc.double({ min: 1.7e9, max: 1.7e9 + 1000, noNaN: true })),
        column(fc.integer({ min: 0, max: 2 ** 31 }).map((microseconds) => 1.7e9 + microseconds / 1e6)),
      ),
      values: fc.oneof(column(anyValue), column(fc.float()), column(fc.float({ min: 1, max: 2 })), blocks(anyValue)),
    })
    .map(({ count, steps, wallTimes, values }) => ({
      steps: BigInt64Array.from({ length: count }, (_, i) => steps(i)),
      wallTimes: Float64Array.from({ length: count }, (_, i) => wallTimes(i)),
      values: Float64Array.from({ length: count }, (_, i) => values(i)),
    }));
}

/**
 * A function from index to element: long columns from few generated elements, which keeps many runs
 * fast.
 */
function column<T>(element: fc.Arbitrary<T>): fc.Arbitrary<(index: number) => T> {
  return fc.array(element, { minLength: 1, maxLength: 40 }).map((drawn) => (index) => drawn[(index * 7 + (index >> 4)) % drawn.length]!);
}

/** The same element 64 times, so that whole cells are NaN. */
function blocks<T>(element: fc.Arbitrary<T>): fc.Arbitrary<(index: number) => T> {
  return fc.array(element, { minLength: 1, maxLength: 20 }).map((drawn) => (index) => drawn[(index >> 6) % drawn.length]!);
}

function strided(): fc.Arbitrary<(index: number) => bigint> {
  return fc.tuple(anyStep, fc.oneof(anyStep, fc.bigInt({ min: 0n, max: 10n }))).map(
    ([first, stride]) =>
      (index) =>
        BigInt.asIntN(64, first + stride * BigInt(index)),
  );
}

/** A falling curve with 5 % noise, steps 0, 1, …, a step every 50 ms with 2 ms of jitter. */
export function noisyPoints(shape: {
  count: number;
  clock: 'nanoseconds' | 'microseconds' | 'seconds';
  float32: boolean;
  seed: number;
}): PointColumns {
  const gauss = gaussian(shape.seed);
  let clock = 1.79e9;
  const rows = Array.from({ length: shape.count }, (_, i): [bigint, number, number] => {
    clock += 0.05 + 0.002 * gauss();
    const wallTime =
      shape.clock === 'nanoseconds' ? clock : shape.clock === 'microseconds' ? Math.round(clock * 1e6) / 1e6 : Math.round(clock);
    const value = (2.5 * Math.exp(-i / 2000) + 0.3) * (1 + 0.05 * gauss());
    return [BigInt(i), wallTime, shape.float32 ? Math.fround(value) : value];
  });
  return pointsOf(rows);
}

/** Normally distributed numbers, deterministic for the seed (Box and Muller). */
function gaussian(seed: number): () => number {
  const uniform = seededRandom(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}
