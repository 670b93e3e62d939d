/**
 * Returns the middle value, or the mean of the two middle values for an even count. NaN for an
 * empty list.
 */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Interpolates linearly between the two nearest ranks. NaN for an empty list. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  if (sorted.length === 0) return Number.NaN;
  const place = (sorted.length - 1) * q;
  const low = Math.floor(place);
  return sorted[low]! + (sorted[Math.min(low + 1, sorted.length - 1)]! - sorted[low]!) * (place - low);
}

/**
 * Returns the probability that a value of `a` is larger than a value of `b`, with ties counted
 * half: 0.5 if they are indistinguishable, 1 if all of `a` are larger. NaN if either is empty.
 */
export function chanceOfMore(a: readonly number[], b: readonly number[]): number {
  const sorted = [...b].sort((x, y) => x - y);
  const below = (value: number, inclusive: boolean): number => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (inclusive ? sorted[middle]! <= value : sorted[middle]! < value) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const wins = a.reduce((sum, value) => sum + (below(value, false) + below(value, true)) / 2, 0);
  return wins / (a.length * b.length);
}
