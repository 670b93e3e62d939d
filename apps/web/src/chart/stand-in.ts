import type { Query, QueryClient } from '@tanstack/react-query';
import { holdsSteps, type ScalarSeries, type StepRange } from '#charts';
import type { ComparingRequest } from '../compare/comparing-loader.ts';
import { requestOf } from './scalars-key.ts';

/**
 * Known data of a tag to show while other data is loading, so that a chart never loses detail. For
 * a range, this is the finest data that covers the range; otherwise the finest data of the whole
 * tag. Undefined if there is none.
 */
export function standIn(
  client: QueryClient,
  experimentId: string,
  request: Pick<ComparingRequest, 'tag' | 'steps' | 'x' | 'isFormula'>,
): readonly ScalarSeries[] | undefined {
  const known = client.getQueryCache().findAll({ queryKey: ['scalars', experimentId, request.tag] });
  const fitting = known.filter(({ queryKey, state }) => {
    const { steps, x, isFormula } = requestOf(queryKey);
    const isAlike = (request.x ?? null) === (x ?? null) && (request.isFormula ?? false) === (isFormula ?? false);
    return state.data !== undefined && isAlike && fits(steps, request.steps);
  });
  return fitting.toSorted(finestFirst)[0]?.state.data as readonly ScalarSeries[] | undefined;
}

function fits(known: StepRange | null, wanted: StepRange | null): boolean {
  return wanted === null || known === null ? known === wanted : holdsSteps(known, wanted);
}

/** Sorts by entries per step, and among equals newest first. */
function finestFirst(a: Query, b: Query): number {
  const [left, right] = [requestOf(a.queryKey), requestOf(b.queryKey)];
  return widthOf(left.steps) - widthOf(right.steps) || right.points - left.points || b.state.dataUpdatedAt - a.state.dataUpdatedAt;
}

function widthOf(steps: StepRange | null): number {
  return steps === null ? 0 : steps.to === null ? Number.MAX_VALUE : steps.to - steps.from;
}
