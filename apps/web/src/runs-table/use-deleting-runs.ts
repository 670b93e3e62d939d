import { useQueryClient } from '@tanstack/react-query';
import { type Deleting, useDeleting } from '../app/use-deleting.ts';
import { homeOf } from '../compare/compared-run.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';

/** Maximum runs per request. */
const maxAtOnce = 1_000;

/**
 * Deletes runs, each in its own experiment, after a delay during which the deletion can be undone.
 */
export function useDeletingRuns(): Deleting<string> {
  const { api, id } = useWorld();
  const { compared } = useContents();
  const client = useQueryClient();
  return useDeleting<string>(
    (run) => run,
    async (runs, keepalive) => {
      const homes = Map.groupBy(
        runs.map((run) => homeOf(run, compared, id)),
        (home) => home.id,
      );
      const requests = [...homes].flatMap(([experiment, list]) =>
        Array.from({ length: Math.ceil(list.length / maxAtOnce) }, (_, i) => {
          const names = list.slice(i * maxAtOnce, (i + 1) * maxAtOnce).map(({ run }) => run);
          return api.remove(`/experiments/${experiment}/deletions`, keepalive, { runs: names });
        }),
      );
      const results = await Promise.allSettled(requests); // all at the same time, because the page may be unloading
      const kinds = ['experiment', 'runs', 'tags', 'series', 'compared', 'table', 'experiments'];
      void client.invalidateQueries({ predicate: ({ queryKey: [kind] }) => typeof kind === 'string' && kinds.includes(kind) });
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    },
  );
}
