import type { ComparingWish } from '../compare/comparing-loader.ts';

/** The query key of loaded scalars: starts with the experiment, so that all of one can be found. */
export function scalarsKey(experimentId: string, wish: ComparingWish): readonly unknown[] {
  return ['scalars', experimentId, wish.tag, wish.steps, wish.runs, wish.points, wish.compared, wish.smoothing, wish.spacing];
}

/** The request with such a key. */
export function wishOf(key: readonly unknown[]): ComparingWish {
  const [, , tag, steps, runs, points, compared, smoothing, spacing] = key;
  return { tag, steps, runs, points, compared, smoothing, spacing } as ComparingWish;
}
