import type { Caller } from '#auth';
import { limits } from '#model';
import { type ExperimentChanges, type ExperimentSummary, readExperiment, type Store, updateExperiment } from '#store';
import { isExperimentId, noSuchExperiment } from './access.ts';
import { checkLabels, checkText } from './experiment-names.ts';

/** Changes what is given, and answers the experiment as it is then. */
export async function changeExperiment(
  store: Store,
  caller: Caller,
  experimentId: string,
  changes: ExperimentChanges,
): Promise<ExperimentSummary> {
  const checked: ExperimentChanges = {
    ...(changes.name === undefined ? {} : { name: checkText(changes.name, 'name', limits.maxExperimentNameCharacters) }),
    ...(changes.description === undefined
      ? {}
      : { description: checkText(changes.description, 'description', limits.maxExperimentDescriptionCharacters) }),
    ...(changes.labels === undefined ? {} : { labels: checkLabels(changes.labels) }),
  };
  return store.withTenant(caller.tenantId, async (trx) => {
    const known =
      isExperimentId(experimentId) &&
      (Object.keys(checked).length === 0 || (await updateExperiment(trx, caller.tenantId, experimentId, checked)));
    const experiment = known ? await readExperiment(trx, caller.tenantId, experimentId) : null;
    if (!experiment) throw noSuchExperiment();
    return experiment;
  });
}
