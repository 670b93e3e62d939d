import type { Caller } from '#auth';
import { type ExperimentId, limits, Problem, type RunName } from '#model';
import { type RunChanges, type Store, updateRuns } from '#store';
import { requireExperiment } from './access.ts';
import { audit } from './audit.ts';
import { checkLabels, checkText } from './experiment-names.ts';

/**
 * Changes the display name, notes, labels and archived state of all listed runs or, if one of them
 * does not exist, of none. Throws `bad-request`.
 */
export async function changeRuns(
  store: Store,
  caller: Caller,
  experimentId: ExperimentId,
  { runs, ...changes }: RunChanges & { readonly runs: readonly RunName[] },
): Promise<void> {
  const { displayName, labels, notes, archived } = changes;
  const checked: RunChanges = {
    ...(displayName === undefined ? {} : { displayName: checkText(displayName, 'display name', limits.maxRunDisplayNameCharacters) }),
    ...(labels === undefined ? {} : { labels: checkLabels(labels) }),
    ...(notes === undefined ? {} : { notes: checkText(notes, 'notes', limits.maxRunNotesCharacters) }),
    ...(archived === undefined ? {} : { archived }),
  };
  const names = [...new Set(runs)];
  await store.withTenant(caller.tenantId, async (scope) => {
    await requireExperiment(scope, caller, experimentId, 'experiment.update');
    const changed = (['displayName', 'labels', 'notes', 'archived'] as const).filter((field) => checked[field] !== undefined);
    const found = new Set(await updateRuns(scope, experimentId, { names, changes: checked }));
    const unknown = names.filter((name) => !found.has(name));
    if (unknown.length > 0) {
      const shown = unknown.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 80)));
      throw new Problem('bad-request', `This experiment has no such run: ${shown.join(', ')}. Nothing was changed.`);
    }
    if (changed.length > 0)
      await audit(scope, caller, {
        action: 'runs.update',
        experimentId,
        details: {
          changed: changed.map((field) => (field === 'displayName' ? 'display_name' : field)),
          runs: names.length,
          ...(archived !== undefined && { archived }),
        },
      });
  });
}
