/** A float64 as the API writes it in JSON: exact, and a string if JSON has no such number. */
export function exactNumber(value: number): number | string {
  if (Object.is(value, -0)) return '-0';
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}
