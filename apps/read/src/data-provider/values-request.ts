import type { View } from '#model';
import type { ValuesRequest } from '#series';
import { type SelectingRequest, selectionOf } from './selection.ts';

/**
 * A request for tensors or blob sequences in the form of #series. If no points are requested, one
 * point is read to find out which series have points.
 */
export function valuesRequest(request: SelectingRequest, points: number, view: View | null): ValuesRequest {
  return {
    ...selectionOf(request, view),
    points: Math.max(1, points),
    sampling: 'even',
    superseded: false,
    unlisted: false,
    from: null,
    to: null,
  };
}
