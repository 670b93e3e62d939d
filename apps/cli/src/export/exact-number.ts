/** A float64 in JSON as the API writes it: exact, and text where JSON has no number. */
export function exactNumber(value: number): number | string {
  if (Object.is(value, -0)) return '-0';
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}
