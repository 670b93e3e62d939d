import { useQueryClient } from '@tanstack/react-query';
import type { RunJson } from '../api/types.ts';
import { homeOf } from '../compare/compared-run.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';

/** Maximum runs that the service changes per request. */
const maxAtOnce = 1_000;

/**
 * Returns a function that sets the labels of runs, each in its own experiment. Runs that get the
 * same labels are changed together.
 */
export function useLabelingRuns(): (runs: readonly RunJson[], labelsOf: (run: RunJson) => string[]) => Promise<void> {
  const { api, id } = useWorld();
  const { compared } = useContents();
  const client = useQueryClient();
  return async (runs, labelsOf) => {
    const wanted = runs.map((run) => ({ home: homeOf(run.run, compared, id), labels: labelsOf(run) }));
    const groups = Map.groupBy(wanted, ({ home, labels }) => JSON.stringify([home.id, labels]));
    // Also after a failure, because some runs may have been changed before it
    try {
      for (const group of groups.values())
        for (let i = 0; i < group.length; i += maxAtOnce)
          await api.send('PATCH', `/experiments/${group[0]!.home.id}/runs`, {
            runs: group.slice(i, i + maxAtOnce).map(({ home }) => home.run),
            labels: group[0]!.labels,
          });
    } finally {
      void client.invalidateQueries({ predicate: ({ queryKey: [kind] }) => kind === 'runs' || kind === 'compared' || kind === 'table' });
    }
  };
}
