/**
 * A float of a table: the shortest digits that read back as the same number, always with a point or an exponent, as Python writes it. So readers that
 * guess types, pandas for one, read a column of floats from each mix of values: whole numbers are not taken for integers.
 */
export function tableFloat(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  if (!Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 1e16 ? value.toExponential() : `${value}.0`;
}
