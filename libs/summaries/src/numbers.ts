import type { Float, Whole } from './source.ts';

/** A float from the API as a float64. */
export function floatOf(value: Float): number {
  return typeof value === 'number' ? value : Number(value); // Number('NaN') and Number('-Infinity') are what they say
}

/** Only for comparisons: steps beyond 2^53 lose digits. */
export function approximate(value: Whole): number {
  return Number(value);
}

/** The exact sum of whole numbers. */
export function sumOf(values: readonly Whole[]): Whole {
  const sum = values.reduce<bigint>((total, value) => total + BigInt(value), 0n);
  return sum <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(sum) : String(sum);
}

/** Orders names by code units, the same in every locale. */
export function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
