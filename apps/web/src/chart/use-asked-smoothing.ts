import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { ScalarSeries } from '#charts';
import { useSettled } from '../app/use-settled.ts';
import type { ComparingWish } from '../compare/comparing-loader.ts';
import { useWorld } from '../experiment/experiment-context.ts';
import { scalarsKey } from './scalars-key.ts';

/** Milliseconds for which the slider rests before averages are asked for; until then the page smooths what it has. A guess. */
export const smoothingRestMs = 200;

/**
 * The wishes of a chart with the smoothing that is asked for. Where all that came before are points, the page can smooth them by itself: the wish stays as it was, and
 * nothing is asked for again.
 */
export function useAskedSmoothing(wishes: readonly Omit<ComparingWish, 'smoothing'>[], smoothing: number): readonly ComparingWish[] {
  const client = useQueryClient();
  const { id } = useWorld();
  const settled = useSettled(smoothing, smoothingRestMs);
  const asked = useRef(new Map<string, number>());
  return wishes.map((wish) => {
    const before = { ...wish, smoothing: asked.current.get(wish.tag) ?? settled };
    const known = client.getQueryData<readonly ScalarSeries[]>(scalarsKey(id, before));
    if (known?.every(({ raw }) => raw)) return before;
    asked.current.set(wish.tag, settled);
    return { ...wish, smoothing: settled };
  });
}
