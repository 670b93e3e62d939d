/**
 * Compares numbers for sorting, ascending or descending: non-finite values come last either way, so
 * that diverged runs do not come before the best run. Infinities come before NaN, and NaN before
 * missing values.
 */
export function compareNumbers(a: number | null, b: number | null, down = false): number {
  const [left, right] = [rankOf(a), rankOf(b)];
  if (left !== right || left > 0) return left - right;
  const difference = a! < b! ? -1 : Number(a! > b!);
  return down && difference !== 0 ? -difference : difference;
}

function rankOf(value: number | null): number {
  if (value === null) return 4;
  if (Number.isNaN(value)) return 3;
  return value === Infinity ? 1 : value === -Infinity ? 2 : 0;
}
