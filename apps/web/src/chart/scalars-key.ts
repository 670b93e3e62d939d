import type { ComparingRequest } from '../compare/comparing-loader.ts';

/**
 * The query key of loaded scalars. It starts with the experiment, so that all queries of an
 * experiment can be found.
 */
export function scalarsKey(experimentId: string, request: ComparingRequest): readonly unknown[] {
  return [
    'scalars',
    experimentId,
    request.tag,
    request.steps,
    request.runs,
    request.points,
    request.compared,
    request.smoothing,
    request.spacing,
    request.x ?? null,
    request.isFormula === true,
  ];
}

/** The request that has this key. */
export function requestOf(key: readonly unknown[]): ComparingRequest {
  const [, , tag, steps, runs, points, compared, smoothing, spacing, x, isFormula] = key;
  return { tag, steps, runs, points, compared, smoothing, spacing, x, isFormula } as ComparingRequest;
}
