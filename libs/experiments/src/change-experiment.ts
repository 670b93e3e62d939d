import type { Caller } from '#auth';
import { type ExperimentId, limits } from '#model';
import { type ExperimentChanges, type ExperimentSummary, readExperiment, type Store, updateExperiment } from '#store';
import { noSuchExperiment, requireExperiment } from './access.ts';
import { audit } from './audit.ts';
import { checkLabels, checkText } from './experiment-names.ts';

/**
 * Changes the given fields, with the permissions that they need (`experiment.share` for the
 * visibility, `experiment.update` for the others), and returns the changed experiment.
 */
export async function changeExperiment(
  store: Store,
  caller: Caller,
  experimentId: ExperimentId,
  changes: ExperimentChanges,
): Promise<ExperimentSummary> {
  const checked: ExperimentChanges = {
    ...(changes.name === undefined ? {} : { name: checkText(changes.name, 'name', limits.maxExperimentNameCharacters) }),
    ...(changes.description === undefined
      ? {}
      : { description: checkText(changes.description, 'description', limits.maxExperimentDescriptionCharacters) }),
    ...(changes.labels === undefined ? {} : { labels: checkLabels(changes.labels) }),
    ...(changes.notes === undefined ? {} : { notes: checkText(changes.notes, 'notes', limits.maxExperimentNotesCharacters) }),
    ...(changes.archived === undefined ? {} : { archived: changes.archived }),
    ...(changes.visibility === undefined ? {} : { visibility: changes.visibility }),
  };
  return store.withTenant(caller.tenantId, async (scope) => {
    const { visibility, ...texts } = changes;
    if (visibility !== undefined) await requireExperiment(scope, caller, experimentId, 'experiment.share');
    if (visibility === undefined || Object.keys(texts).length > 0)
      await requireExperiment(scope, caller, experimentId, 'experiment.update');
    const changed = (['name', 'description', 'labels', 'notes', 'archived', 'visibility'] as const).filter(
      (field) => checked[field] !== undefined,
    );
    if (changed.length > 0) {
      await updateExperiment(scope, experimentId, checked);
      await audit(scope, caller, { action: 'experiment.update', experimentId, details: { changed, ...(visibility && { visibility }) } });
    }
    const experiment = await readExperiment(scope, experimentId);
    if (!experiment) throw noSuchExperiment();
    return experiment;
  });
}
