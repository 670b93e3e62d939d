import type { ComparingWish } from '../compare/comparing-loader.ts';

/** The key by which loaded scalars are kept: by experiment first, so that all of one can be found. */
export function scalarsKey(experimentId: string, wish: ComparingWish): readonly unknown[] {
  return ['scalars', experimentId, wish.tag, wish.steps, wish.runs, wish.points, wish.compared, wish.smoothing, wish.spacing];
}

/** What was wished for under such a key. */
export function wishOf(key: readonly unknown[]): ComparingWish {
  const [, , tag, steps, runs, points, compared, smoothing, spacing] = key;
  return { tag, steps, runs, points, compared, smoothing, spacing } as ComparingWish;
}
