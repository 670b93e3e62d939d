import { type ExperimentId, Problem } from '#model';
import { type AskedNames, missingNames, type TenantScope } from '#store';

/**
 * Throws `not-found` if the experiment does not have one of these runs or tags: otherwise the
 * result would look complete.
 */
export async function requireNames(scope: TenantScope, experimentId: ExperimentId, asked: AskedNames): Promise<void> {
  const { runs, tags } = asked.runs.length + asked.tags.length > 0 ? await missingNames(scope, experimentId, asked) : asked;
  const [run] = runs;
  const [tag] = tags;
  if (run !== undefined) throw noSuchName('run', run);
  if (tag !== undefined) throw noSuchName('tag', tag);
}

/** The error for a run or tag that an experiment does not have, or that the caller may not see. */
export function noSuchName(kind: 'run' | 'tag', name: string): Problem {
  return new Problem('not-found', `The experiment has no ${kind} ${JSON.stringify(name)}.`);
}
