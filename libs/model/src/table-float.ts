/**
 * A float in a table: the shortest digits that are parsed as the same number, always with a decimal
 * point or an exponent, as in Python. Readers that infer types, such as pandas, therefore read
 * every such column as floats.
 */
export function tableFloat(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  if (!Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 1e16 ? value.toExponential() : `${value}.0`;
}
