import type { Query, QueryClient } from '@tanstack/react-query';
import { holdsSteps, type ScalarSeries, type StepRange } from '#charts';
import type { ComparingWish } from '../compare/comparing-loader.ts';
import { wishOf } from './scalars-key.ts';

/**
 * What is known of a tag already and stands for data that are on their way, so that a chart never goes a step back: of a part the finest that holds all of it, else the
 * finest of the whole. Undefined: nothing is.
 */
export function standIn(
  client: QueryClient,
  experimentId: string,
  wish: Pick<ComparingWish, 'tag' | 'steps'>,
): readonly ScalarSeries[] | undefined {
  const known = client.getQueryCache().findAll({ queryKey: ['scalars', experimentId, wish.tag] });
  const fitting = known.filter((query) => query.state.data !== undefined && fits(wishOf(query.queryKey).steps, wish.steps));
  return fitting.toSorted(finestFirst)[0]?.state.data as readonly ScalarSeries[] | undefined;
}

function fits(known: StepRange | null, wanted: StepRange | null): boolean {
  return wanted === null || known === null ? known === wanted : holdsSteps(known, wanted);
}

/** Entries for each step decide; of equals the newest. */
function finestFirst(a: Query, b: Query): number {
  const [left, right] = [wishOf(a.queryKey), wishOf(b.queryKey)];
  return widthOf(left.steps) - widthOf(right.steps) || right.points - left.points || b.state.dataUpdatedAt - a.state.dataUpdatedAt;
}

function widthOf(steps: StepRange | null): number {
  return steps === null ? 0 : steps.to === null ? Number.MAX_VALUE : steps.to - steps.from;
}
