/** Middle value; the mean of the two middle ones for an even count. NaN for none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Linear between the two nearest ranks. NaN for no values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  if (sorted.length === 0) return Number.NaN;
  const place = (sorted.length - 1) * q;
  const low = Math.floor(place);
  return sorted[low]! + (sorted[Math.min(low + 1, sorted.length - 1)]! - sorted[low]!) * (place - low);
}
