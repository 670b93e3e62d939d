/*
 * Random forests of regression trees (Breiman 2001), which rate the importance of hyperparameters.
 * Features are encoded as at most 256 bins, so that a single pass over the rows of a node finds a
 * split.
 */

/** A table column, encoded as bins. */
export interface Feature {
  /** The bin of each row. */
  readonly codes: Uint8Array;
  readonly bins: number;
  /**
   * Whether the values are numbers, which are split at a bound. Other values are split into two
   * sets.
   */
  readonly isOrdered: boolean;
}

/** What a forest computes. */
export interface Importance {
  /**
   * How much a tree's squared error outside its sample grows when a feature is shuffled, divided by
   * the variance of the target. A value around or below 0 means that the feature does not matter.
   */
  readonly scores: Float64Array;
  /**
   * The fraction of the variance that the forest predicts for rows outside the samples. 0 or less:
   * it predicts none.
   */
  readonly r2: number;
}

/** Options for growing a forest. */
export interface ForestOptions {
  readonly trees: number;
  /** Forests with the same seed are identical. */
  readonly seed: number;
  /** Minimum rows per leaf. Default: 1. */
  readonly leaf?: number;
}

/** Maximum number of bins, because a bin number is one byte. */
const maxBins = 256;
/**
 * Maximum rows in a tree's sample, and maximum rows that test the tree. More rows cost time and add
 * little.
 */
const maxSampled = 1_000;
const mostJudging = 500;

/** Encodes numbers by size. Equal numbers share a bin, and missing values are below all others. */
export function encodeNumbers(values: readonly (number | null)[]): Feature {
  const sorted = Float64Array.from(values.filter((value) => value !== null && !Number.isNaN(value)) as number[]).sort();
  const different = sorted.filter((value, i) => i === 0 || value !== sorted[i - 1]);
  const max = maxBins - 1; // one bin is for missing values
  // Uses quantiles of the rows if there are too many distinct values
  const bounds =
    different.length <= max
      ? different
      : Float64Array.from(new Set(Array.from({ length: max }, (_, i) => sorted[Math.floor((i * sorted.length) / max)]!)));
  const codes = Uint8Array.from(values, (value) => (value === null || Number.isNaN(value) ? 0 : 1 + lastAtMost(bounds, value)));
  return { codes, bins: bounds.length + 1, isOrdered: true };
}

/** Encodes strings and booleans. If there are too many distinct values, the rarest share a bin. */
export function encodeTexts(values: readonly (string | number | boolean | null)[]): Feature {
  const counts = new Map<string, number>();
  const keys = values.map((value) => JSON.stringify(value));
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const ranked = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const codeOf = new Map(ranked.map(([key], i) => [key, Math.min(i, maxBins - 1)]));
  return { codes: Uint8Array.from(keys, (key) => codeOf.get(key)!), bins: Math.min(ranked.length, maxBins), isOrdered: false };
}

/** Returns random numbers from 0 to below 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Grows a forest over these rows. Yields after each tree, so that the caller can pause or stop.
 * `target`: a finite number for each row of the features.
 */
export function* growForest(
  features: readonly Feature[],
  target: Float64Array,
  rows: Int32Array,
  { trees, seed, leaf = 1 }: ForestOptions,
): Generator<void, Importance, void> {
  const random = randomOf(seed);
  const scores = new Float64Array(features.length);
  const [sums, votes] = [new Float64Array(target.length), new Int32Array(target.length)];
  const variance = varianceOf(target, rows);
  const grower = new TreeGrower(features, target, random, leaf);
  for (let count = 0; count < trees; count++) {
    const { sample, out } = drawSample(rows, random);
    const tree = grower.grow(sample);
    if (out.length > 0 && variance > 0) judge(tree, out);
    yield;
  }
  return { scores: scores.map((sum) => sum / (trees * variance || 1)), r2: explained() };

  function judge(tree: Tree, out: Int32Array): void {
    let before = 0;
    for (const row of out) {
      const value = tree.predict(features, row, -1, row);
      sums[row]! += value;
      votes[row]!++;
      before += (target[row]! - value) ** 2;
    }
    const shuffled = out.slice();
    for (const feature of tree.used) {
      shuffle(shuffled, random);
      let after = 0;
      for (let i = 0; i < out.length; i++) after += (target[out[i]!]! - tree.predict(features, out[i]!, feature, shuffled[i]!)) ** 2;
      scores[feature]! += (after - before) / out.length;
    }
  }

  function explained(): number {
    let [error, count] = [0, 0];
    for (const row of rows) {
      if (votes[row] === 0) continue;
      error += (target[row]! - sums[row]! / votes[row]!) ** 2;
      count++;
    }
    return count === 0 || variance === 0 ? 0 : 1 - error / count / variance;
  }
}

/** Draws rows with replacement, and also returns some rows that were not drawn. */
function drawSample(rows: Int32Array, random: () => number): { readonly sample: Int32Array; readonly out: Int32Array } {
  const size = Math.min(rows.length, maxSampled);
  const isDrawn = new Uint8Array(rows.length);
  const sample = Int32Array.from({ length: size }, () => {
    const at = Math.floor(random() * rows.length);
    isDrawn[at] = 1;
    return rows[at]!;
  });
  const out = rows.filter((_, at) => isDrawn[at] === 0);
  if (out.length <= mostJudging) return { sample, out };
  shuffle(out, random);
  return { sample, out: out.slice(0, mostJudging) };
}

function shuffle(list: Int32Array, random: () => number): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [list[i], list[j]] = [list[j]!, list[i]!];
  }
}

/** A tree stored as columns: a node is a leaf if its feature is -1. */
class Tree {
  readonly features: number[] = [];
  /** Rows in these bins go left: bins up to a bound, or bins in a set. */
  readonly bounds: number[] = [];
  readonly sets: (Uint8Array | null)[] = [];
  readonly left: number[] = [];
  readonly right: number[] = [];
  readonly values: number[] = [];
  readonly used = new Set<number>();

  /** Adds a leaf and returns its index. */
  add(value: number): number {
    this.features.push(-1);
    this.bounds.push(0);
    this.sets.push(null);
    this.left.push(-1);
    this.right.push(-1);
    return this.values.push(value) - 1;
  }

  /** The prediction for a row; the bin of one feature is taken from another row. */
  predict(features: readonly Feature[], row: number, other: number, otherRow: number): number {
    let node = 0;
    for (let feature = this.features[0]!; feature >= 0; feature = this.features[node]!) {
      const code = features[feature]!.codes[feature === other ? otherRow : row]!;
      const set = this.sets[node]!;
      const isLeft = set === null ? code <= this.bounds[node]! : set[code] === 1;
      node = isLeft ? this.left[node]! : this.right[node]!;
    }
    return this.values[node]!;
  }
}

interface Split {
  readonly feature: number;
  readonly gain: number;
  readonly bound: number;
  readonly set: Uint8Array | null;
}

/** Grows trees, and reuses its buffers between them. */
class TreeGrower {
  readonly #features: readonly Feature[];
  readonly #target: Float64Array;
  readonly #random: () => number;
  readonly #leaf: number;
  readonly #sums = new Float64Array(maxBins);
  readonly #counts = new Int32Array(maxBins);
  readonly #found = new Uint8Array(maxBins);
  /** The bins with at least one row. */
  #filled = this.#found.subarray(0, 0);
  readonly #order: Int32Array;
  /** Number of features tried per split: a third, as is usual for regression. */
  readonly #tried: number;

  constructor(features: readonly Feature[], target: Float64Array, random: () => number, leaf: number) {
    this.#features = features;
    this.#target = target;
    this.#random = random;
    this.#leaf = leaf;
    this.#order = Int32Array.from(features.keys());
    this.#tried = Math.ceil(features.length / 3);
  }

  /** Grows a tree. Reorders `rows`. */
  grow(rows: Int32Array): Tree {
    const tree = new Tree();
    const open = [{ node: tree.add(this.#meanOf(rows)), rows }];
    for (let one = open.pop(); one; one = open.pop()) {
      const split = this.#split(one.rows);
      if (!split) continue;
      const cut = this.#part(one.rows, split);
      const [leftRows, rightRows] = [one.rows.subarray(0, cut), one.rows.subarray(cut)];
      const [left, right] = [tree.add(this.#meanOf(leftRows)), tree.add(this.#meanOf(rightRows))];
      tree.features[one.node] = split.feature;
      tree.bounds[one.node] = split.bound;
      tree.sets[one.node] = split.set;
      tree.left[one.node] = left;
      tree.right[one.node] = right;
      tree.used.add(split.feature);
      open.push({ node: left, rows: leftRows }, { node: right, rows: rightRows });
    }
    return tree;
  }

  #meanOf(rows: Int32Array): number {
    let sum = 0;
    for (const row of rows) sum += this.#target[row]!;
    return sum / rows.length;
  }

  /**
   * The best split among some features; null for a leaf. Features with a single value in these rows
   * do not count.
   */
  #split(rows: Int32Array): Split | null {
    if (rows.length < 2 * this.#leaf) return null;
    let best: Split | null = null;
    let tried = 0;
    for (let i = 0; i < this.#order.length && tried < this.#tried; i++) {
      const j = i + Math.floor(this.#random() * (this.#order.length - i));
      [this.#order[i], this.#order[j]] = [this.#order[j]!, this.#order[i]!];
      const feature = this.#order[i]!;
      const present = this.#fill(feature, rows);
      if (present.length < 2) continue;
      tried++;
      const found = this.#splitAt(feature, present, rows.length);
      if (found && found.gain > (best?.gain ?? 1e-12)) best = found;
    }
    return best;
  }

  /** Sums the target per bin. Returns the bins that have rows, in order. */
  #fill(feature: number, rows: Int32Array): Uint8Array {
    const { codes } = this.#features[feature]!;
    const [sums, counts, target] = [this.#sums, this.#counts, this.#target];
    for (const code of this.#filled) counts[code] = 0;
    // Most nodes have few rows, so only the bins of these rows are visited
    let present = 0;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const code = codes[row]!;
      if (counts[code]!++ === 0) {
        this.#found[present++] = code;
        sums[code] = 0;
      }
      sums[code]! += target[row]!;
    }
    this.#filled = this.#found.subarray(0, present);
    return this.#filled.sort();
  }

  #splitAt(feature: number, present: Uint8Array, rows: number): Split | null {
    const [sums, counts] = [this.#sums, this.#counts];
    const { isOrdered, bins } = this.#features[feature]!;
    // If values are sorted by their means, the two best sets are contiguous (Fisher 1958)
    if (!isOrdered) present.sort((a, b) => sums[a]! / counts[a]! - sums[b]! / counts[b]! || a - b);
    let total = 0;
    for (const code of present) total += sums[code]!;
    const whole = total ** 2 / rows;
    let [sum, count, gain, cut] = [0, 0, 0, -1];
    for (let i = 0; i + 1 < present.length; i++) {
      sum += sums[present[i]!]!;
      count += counts[present[i]!]!;
      if (count < this.#leaf || rows - count < this.#leaf) continue;
      const gained = sum ** 2 / count + (total - sum) ** 2 / (rows - count) - whole;
      if (gained > gain) [gain, cut] = [gained, i];
    }
    if (cut < 0) return null;
    // Halfway between the values on both sides, because rows outside the sample may lie between
    // them
    if (isOrdered) return { feature, gain, bound: Math.floor((present[cut]! + present[cut + 1]!) / 2), set: null };
    const set = new Uint8Array(bins);
    for (const code of present.subarray(0, cut + 1)) set[code] = 1;
    return { feature, gain, bound: 0, set };
  }

  /** Moves the rows that go left to the front. Returns how many there are. */
  #part(rows: Int32Array, { feature, bound, set }: Split): number {
    const { codes } = this.#features[feature]!;
    let end = 0;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const code = codes[row]!;
      if (set === null ? code > bound : set[code] === 0) continue;
      rows[i] = rows[end]!;
      rows[end++] = row;
    }
    return end;
  }
}

function varianceOf(target: Float64Array, rows: Int32Array): number {
  let mean = 0;
  for (const row of rows) mean += target[row]! / rows.length;
  let sum = 0;
  for (const row of rows) sum += (target[row]! - mean) ** 2;
  return sum / rows.length;
}

/**
 * The index of the last bound that is not above a value. For values below all bounds, the first
 * one.
 */
function lastAtMost(bounds: Float64Array, value: number): number {
  let [low, high] = [0, bounds.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bounds[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
