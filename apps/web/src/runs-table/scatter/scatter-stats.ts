/** Spearman's rank correlation, with its 95 % interval. */
export interface RankCorrelation {
  readonly rho: number;
  readonly low: number;
  readonly high: number;
  /** The number of pairs of finite numbers. */
  readonly count: number;
}

/** Minimum number of pairs: with fewer, the interval is not useful. */
const minPairs = 5;

/**
 * The rank correlation of the pairs of finite numbers. Null if there are too few pairs, or if one
 * side is constant. The interval uses Fisher's transformation with the variance of Bonett and
 * Wright (2000).
 */
export function rankCorrelation(pairs: readonly (readonly [number, number])[]): RankCorrelation | null {
  const finite = pairs.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
  const count = finite.length;
  if (count < minPairs) return null;
  const rho = correlation(ranks(finite.map(([x]) => x)), ranks(finite.map(([, y]) => y)));
  if (Number.isNaN(rho)) return null;
  const half = 1.959964 * Math.sqrt((1 + rho ** 2 / 2) / (count - 3));
  const [low, high] = Math.abs(rho) === 1 ? [rho, rho] : [Math.tanh(Math.atanh(rho) - half), Math.tanh(Math.atanh(rho) + half)];
  return { rho, low, high, count };
}

/** The rank of each value, starting at 1. Equal values get their mean rank. */
export function ranks(values: readonly number[]): Float64Array {
  const order = Array.from(values, (_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const found = new Float64Array(values.length);
  for (let start = 0; start < order.length;) {
    let end = start + 1;
    while (end < order.length && values[order[end]!] === values[order[start]!]) end++;
    for (let i = start; i < end; i++) found[order[i]!] = (start + 1 + end) / 2;
    start = end;
  }
  return found;
}

/** Returns NaN if one side is constant. */
function correlation(xs: Float64Array, ys: Float64Array): number {
  const mean = (xs.length + 1) / 2;
  let [both, own, other] = [0, 0, 0];
  for (const [i, x] of xs.entries()) {
    const [dx, dy] = [x - mean, ys[i]! - mean];
    both += dx * dy;
    own += dx * dx;
    other += dy * dy;
  }
  return own === 0 || other === 0 ? Number.NaN : Math.max(-1, Math.min(1, both / Math.sqrt(own * other)));
}

/**
 * A box plot: the quartiles, and the outermost values within 1.5 times the interquartile range
 * (Tukey).
 */
export interface Box {
  readonly low: number;
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
  readonly high: number;
  readonly count: number;
}

/**
 * The box plot of the finite values; null if there are none. Quantiles are interpolated linearly,
 * as in numpy.
 */
export function boxOf(values: readonly number[]): Box | null {
  const sorted = Float64Array.from(values.filter(Number.isFinite)).sort();
  if (sorted.length === 0) return null;
  const quantile = (part: number): number => {
    const at = (sorted.length - 1) * part;
    const below = sorted[Math.floor(at)]!;
    return below + (sorted[Math.ceil(at)]! - below) * (at - Math.floor(at));
  };
  const [q1, median, q3] = [quantile(0.25), quantile(0.5), quantile(0.75)];
  const reach = 1.5 * (q3 - q1);
  const low = sorted.find((value) => value >= q1 - reach)!;
  const high = sorted.findLast((value) => value <= q3 + reach)!;
  return { low, q1, median, q3, high, count: sorted.length };
}
