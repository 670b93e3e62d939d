/**
 * JSON.rawJSON (in Node since 21; not in TypeScript's library yet): text that JSON.stringify writes
 * unchanged.
 */
declare global {
  interface JSON {
    rawJSON(text: string): unknown;
  }
}

/**
 * A float64 in a response (api.md): NaN and infinities as strings, −0 as `-0.0`; null stays null.
 */
export function exactFloat(value: number | null): unknown {
  if (value === null) return null;
  if (Object.is(value, -0)) return JSON.rawJSON('-0.0');
  return Number.isFinite(value) ? value : String(value);
}

/** An int64 in a response: a number, or a string beyond 2^53; null stays null. */
export function exactInteger(value: bigint | number | null): number | string | null {
  if (value === null) return null;
  return Number.isSafeInteger(Number(value)) ? Number(value) : BigInt(value).toString();
}
