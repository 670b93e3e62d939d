import { type Feature, growForest, type Importance, randomOf } from './forest.ts';

/** Minimum number of runs: with fewer runs, hyperparameters cannot be told apart. */
export const minRuns = 12;
/** Maximum number of runs; if there are more, a sample is used. */
const maxRuns = 20_000;
/**
 * Number of trees in the forest, number of forests over half of the runs, and number of trees in
 * each of those.
 */
const trees = 200;
const halves = 20;
const halfTrees = 40;
/**
 * Small sweeps have one run per combination, so their trees end at single runs. In large sweeps,
 * that would be slow and no better.
 */
const leafOf = (runs: number): number => (runs <= 200 ? 1 : 3);
/** Number of trees in all forests, which is the number of steps of the work. */
export const allTrees = trees + halves * halfTrees;

/** The importance of each feature, and its error. */
export interface RatedImportance extends Importance {
  /** Standard errors: how much the score would differ for other runs of the same kind. */
  readonly errors: Float64Array;
}

/**
 * Rates features, and yields after each tree. The errors come from half samples: they are the
 * deviation between forests over random halves of the runs (the delete-d jackknife, where d is half
 * of the runs).
 */
export function* rateFeatures(features: readonly Feature[], target: Float64Array, seed = 1): Generator<void, RatedImportance, void> {
  const random = randomOf(seed);
  const all = Int32Array.from(target.keys());
  const rows = all.length <= maxRuns ? all : pick(all, maxRuns, random);
  const whole = yield* growForest(features, target, rows, { trees, seed, leaf: leafOf(rows.length) });
  const found: Importance[] = [];
  for (let i = 0; i < halves; i++) {
    const half = pick(rows, Math.floor(rows.length / 2), random);
    found.push(yield* growForest(features, target, half, { trees: halfTrees, seed: seed + 1 + i, leaf: leafOf(rows.length) }));
  }
  const errors = whole.scores.map((_, feature) => {
    const scores = found.map((one) => one.scores[feature]!);
    const mean = scores.reduce((sum, score) => sum + score, 0) / halves;
    return Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / (halves - 1));
  });
  return { ...whole, errors };
}

/** Picks some of the rows, each at most once. */
function pick(rows: Int32Array, count: number, random: () => number): Int32Array {
  const left = rows.slice();
  for (let i = 0; i < count; i++) {
    const j = i + Math.floor(random() * (left.length - i));
    [left[i], left[j]] = [left[j]!, left[i]!];
  }
  return left.slice(0, count);
}
