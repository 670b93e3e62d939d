import { describe, expect, it } from 'vitest';
import { encodeNumbers, encodeTexts, type Feature, growForest, randomOf } from './forest.ts';
import { allTrees, rateFeatures } from './importance.ts';
import cases from './testing/forests.json' with { type: 'json' };

/** Runs a generator to completion. */
function finish<T>(work: Generator<void, T, void>): { readonly result: T; readonly steps: number } {
  for (let steps = 0; ; steps++) {
    const next = work.next();
    if (next.done === true) return { result: next.value, steps };
  }
}

const grow = (features: readonly Feature[], y: readonly number[], seed = 1, trees = 400, leaf = 3) =>
  finish(growForest(features, Float64Array.from(y), Int32Array.from(y.keys()), { trees, seed, leaf })).result;

describe('a random forest', () => {
  it('finds the importance that scikit-learn finds', () => {
    for (const { x, y, leaf, importance, r2 } of cases) {
      const found = grow(x.map(encodeNumbers), y, 1, 1_000, leaf);
      expect(found.r2).toBeCloseTo(r2, 1);
      // Forests grown with other seeds sometimes differ by up to half of this
      found.scores.forEach((score, i) => {
        const allowed = 0.05 + 0.04 * Math.abs(importance[i]!);
        expect(Math.abs(score - importance[i]!), `feature ${i} of ${y.length} runs`).toBeLessThan(allowed);
      });
      const order = (scores: ArrayLike<number>) => [...Array(scores.length).keys()].toSorted((a, b) => scores[b]! - scores[a]!);
      if (r2 > 0) expect(order(found.scores).slice(0, 3)).toEqual(order(importance).slice(0, 3));
    }
  });

  it('gives the same for the same seed, and about the same for another one', () => {
    const { x, y } = cases[1]!;
    const features = x.map(encodeNumbers);
    expect(grow(features, y, 5, 50)).toEqual(grow(features, y, 5, 50));
    const [a, b] = [grow(features, y, 5), grow(features, y, 6)];
    expect(a.scores).not.toEqual(b.scores);
    a.scores.forEach((score, i) => expect(Math.abs(score - b.scores[i]!)).toBeLessThan(0.05));
  });

  it('splits texts into any two sets', () => {
    const random = randomOf(3);
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const texts = Array.from({ length: 200 }, () => names[Math.floor(random() * names.length)]!);
    const y = texts.map((text) => ('ace'.includes(text) ? 1 : 0) + 0.1 * random());
    const noise = encodeNumbers(texts.map(() => random()));
    const [text, other] = grow([encodeTexts(texts), noise], y).scores;
    expect(text).toBeGreaterThan(1);
    expect(Math.abs(other!)).toBeLessThan(0.1);
  });

  it('says nothing of constant targets and features', () => {
    const x = encodeNumbers(Array.from({ length: 30 }, (_, i) => i));
    expect([
      ...grow(
        [x],
        Array.from({ length: 30 }, () => 2),
      ).scores,
    ]).toEqual([0]);
    const same = encodeTexts(Array.from({ length: 30 }, () => 'adam'));
    const { scores } = grow([x, same], [...Array(30).keys()]);
    expect(scores[0]).toBeGreaterThan(0.5);
    expect(scores[1]).toBe(0);
  });

  it('codes values in at most 256 bins, in their order', () => {
    const few = encodeNumbers([3, null, 1, Number.NaN, 3, -Infinity]);
    expect(few).toEqual({ codes: Uint8Array.of(3, 0, 2, 0, 3, 1), bins: 4, isOrdered: true });
    const random = randomOf(1);
    const values = Array.from({ length: 5_000 }, () => random());
    const many = encodeNumbers(values);
    expect(many.bins).toBe(256);
    const order = [...values.keys()].toSorted((a, b) => values[a]! - values[b]!).map((i) => many.codes[i]!);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(encodeTexts(['x', 'y', 'x', null, true]).codes).toEqual(Uint8Array.of(0, 1, 0, 2, 3));
    expect(encodeTexts(Array.from({ length: 400 }, (_, i) => `v${i}`)).bins).toBe(256);
  });
});

describe('the errors of the importance', () => {
  it('cover what other samples of runs give', () => {
    const { x, y } = cases[2]!;
    const part = (from: number) => {
      const [features, target] = [x.map((column) => encodeNumbers(column.slice(from, from + 125))), y.slice(from, from + 125)];
      return finish(rateFeatures(features, Float64Array.from(target)));
    };
    const parts = [0, 125, 250, 375, 500, 625, 750, 875].map(part);
    expect(parts[0]!.steps).toBe(allTrees);
    for (const feature of [0, 2, 3]) {
      const scores = parts.map(({ result }) => result.scores[feature]!);
      const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
      const deviation = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / (scores.length - 1));
      const error = parts.reduce((sum, { result }) => sum + result.errors[feature]!, 0) / parts.length;
      expect(error / deviation, `feature ${feature}`).toBeGreaterThan(0.5);
      expect(error / deviation, `feature ${feature}`).toBeLessThan(2);
    }
  });

  it('tell what matters from what does not', () => {
    const { x, y } = cases[1]!;
    const { scores, errors } = finish(rateFeatures(x.map(encodeNumbers), Float64Array.from(y))).result;
    const matters = [...scores.keys()].filter((i) => scores[i]! - 1.96 * errors[i]! > 0);
    expect(matters).toEqual([0, 2, 3]);
  });
});
