import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import type { ScalarSeries } from '#charts';
import { useSettled } from '../app/use-settled.ts';
import type { ComparingRequest } from '../compare/comparing-loader.ts';
import { useWorld } from '../experiment/experiment-context.ts';
import { scalarsKey } from './scalars-key.ts';

/**
 * How long the slider must rest before averages are requested, in milliseconds. Until then, the
 * page smooths the loaded data. A guess.
 */
export const smoothingRestMs = 200;

/**
 * A chart's requests with the requested smoothing. If all loaded data are points, the page can
 * smooth them itself. Then the requests do not change and nothing is loaded again.
 */
export function useAskedSmoothing(
  requests: readonly Omit<ComparingRequest, 'smoothing'>[],
  smoothing: number,
): readonly ComparingRequest[] {
  const client = useQueryClient();
  const { id } = useWorld();
  const settled = useSettled(smoothing, smoothingRestMs);
  const asked = useRef(new Map<string, number>());
  return requests.map((request) => {
    const before = { ...request, smoothing: asked.current.get(request.tag) ?? settled };
    const known = client.getQueryData<readonly ScalarSeries[]>(scalarsKey(id, before));
    if (known?.every(({ raw }) => raw)) return before;
    asked.current.set(request.tag, settled);
    return { ...request, smoothing: settled };
  });
}
