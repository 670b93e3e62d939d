/**
 * Compares numbers for sorting, upwards or downwards: what is not finite comes last either way, so that runs that diverged do not stand before the best one. Infinities come before
 * NaN, and NaN before what has no value.
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
