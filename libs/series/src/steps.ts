import type { IntegerColumn } from './json-numbers.ts';

export const minStep = -(2n ** 63n);
export const maxStep = 2n ** 63n - 1n;

/**
 * Whether the step is an exact float64, so that arithmetic on it can use numbers (20 times faster
 * than BigInt).
 */
export function isSafeStep(step: bigint): boolean {
  return step >= BigInt(Number.MIN_SAFE_INTEGER) && step <= BigInt(Number.MAX_SAFE_INTEGER);
}

/**
 * Steps as numbers; wrong for steps that are not {@link isSafeStep}. The column is little-endian in
 * memory (see PointColumns).
 */
export function stepNumbers(steps: IntegerColumn): Float64Array {
  if (steps instanceof Float64Array) return steps;
  const pairs = new Int32Array(steps.buffer, steps.byteOffset, steps.length * 2);
  const out = new Float64Array(steps.length);
  for (let i = 0; i < out.length; i++) out[i] = pairs[2 * i + 1]! * 4294967296 + (pairs[2 * i]! >>> 0);
  return out;
}

/** Rising steps as float64 if all are exact, otherwise as int64. */
export function narrowSteps(steps: BigInt64Array): IntegerColumn {
  if (steps.length === 0) return new Float64Array(0);
  return isSafeStep(steps[0]!) && isSafeStep(steps[steps.length - 1]!) ? stepNumbers(steps) : steps;
}

/** Steps in any order, as float64 if all are exact, otherwise as int64. */
export function narrowAnySteps(steps: BigInt64Array): IntegerColumn {
  return steps.every(isSafeStep) ? stepNumbers(steps) : steps;
}

/**
 * A column as int64. The column must contain only whole numbers; calling `BigInt(step)` for each
 * would take 50 times as long.
 */
export function wideSteps(steps: IntegerColumn): BigInt64Array {
  if (!(steps instanceof Float64Array)) return steps;
  const out = new BigInt64Array(steps.length);
  const pairs = new Int32Array(out.buffer);
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i]!;
    pairs[2 * i] = step; // keeps the lower 32 bits, as two's complement
    pairs[2 * i + 1] = Math.floor(step / 4294967296);
  }
  return out;
}
