import { type ExperimentId, isPart, Problem, type View } from '#model';
import { type Frontier, readFrontier, type TenantScope } from '#store';

/** Throws if the caller may not see the requested experiment. */
export type Admit = (scope: TenantScope) => Promise<void>;

/**
 * A frontier as reported to the caller: without byte counts if they see only a part of the
 * experiment.
 */
export type SeenFrontier = Pick<Frontier, 'epoch' | 'acknowledgedEpoch'> & Partial<Frontier>;

/** The part of a frontier that a view shows. */
export function seenFrontier(frontier: Frontier, view: View | null): SeenFrontier {
  return isPart(view) ? { epoch: frontier.epoch, acknowledgedEpoch: frontier.acknowledgedEpoch } : frontier;
}

/** The frontier of an experiment that the caller may see. */
export async function readAdmitted(
  scope: TenantScope,
  { experimentId, view }: { readonly experimentId: ExperimentId; readonly view: View | null },
  admit: Admit,
): Promise<SeenFrontier> {
  const [, frontier] = await Promise.all([admit(scope), readFrontier(scope, experimentId)]);
  if (!frontier) throw new Problem('experiment-not-found', 'There is no such experiment in this workspace. It may have been deleted.');
  return seenFrontier(frontier, view);
}
