/**
 * JSON.rawJSON (in Node since 21; not in TypeScript's library yet): text that JSON.stringify writes
 * unchanged.
 */
declare global {
  interface JSON {
    rawJSON(text: string): unknown;
    isRawJSON(value: unknown): value is { readonly rawJSON: string };
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

/**
 * A response as a client parses it, for code that renders it without serializing it first: text
 * from {@link exactFloat} becomes a number. Parts without such text are returned, not copied.
 */
export function asParsed<T>(response: T): T {
  return parsed(response) as T;
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (JSON.isRawJSON(value)) return Number(value.rawJSON);
  if (Array.isArray(value)) {
    const items = value.map(parsed);
    return items.some((item, i) => !Object.is(item, value[i])) ? items : value;
  }
  const entries = Object.entries(value);
  const changed = entries.map(([name, item]) => [name, parsed(item)] as const);
  return changed.some(([, item], i) => !Object.is(item, entries[i]![1])) ? Object.fromEntries(changed) : value;
}
