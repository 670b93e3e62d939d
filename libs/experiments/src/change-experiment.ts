import type { Caller } from '#auth';
import { limits } from '#model';
import {
  deleteExperiment,
  type ExperimentChanges,
  type ExperimentSummary,
  notifyFrontier,
  readExperiment,
  type Store,
  updateExperiment,
} from '#store';
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

/** Deletes an experiment: from now on it is as if it had never been. Readers who wait for it are told. */
export async function removeExperiment(store: Store, caller: Caller, experimentId: string): Promise<void> {
  await store.withTenant(caller.tenantId, async (trx) => {
    if (!isExperimentId(experimentId) || !(await deleteExperiment(trx, caller.tenantId, experimentId))) throw noSuchExperiment();
    await notifyFrontier(trx, experimentId);
  });
}
