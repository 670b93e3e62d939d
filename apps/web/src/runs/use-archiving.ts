import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { RunJson } from '../api/types.ts';
import { useMay } from '../app/use-may.ts';
import { homeOf } from '../compare/compared-run.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';

/** Runs to archive or unarchive. */
export interface Archiving {
  readonly runs: readonly string[];
  readonly archived: boolean;
}

/** Maximum runs that the service changes per request. */
const maxAtOnce = 1_000;

/**
 * Archives or unarchives many runs together, each in its own experiment. `last` is the last change,
 * which can be undone.
 */
export function useArchiving() {
  const { api, id } = useWorld();
  const { compared } = useContents();
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: async ({ runs, archived }: Archiving) => {
      const homes = Map.groupBy(
        runs.map((run) => homeOf(run, compared, id)),
        (home) => home.id,
      );
      for (const [experiment, list] of homes)
        for (let i = 0; i < list.length; i += maxAtOnce)
          await api.send('PATCH', `/experiments/${experiment}/runs`, {
            runs: list.slice(i, i + maxAtOnce).map(({ run }) => run),
            archived,
          });
    },
    // Also after a failure, because some runs may have been changed before it
    onSettled: () => Promise.all([['runs', id], ['compared']].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  return { archive: change.mutate, busy: change.isPending, error: change.error, last: change.isSuccess ? change.variables : null };
}

/** Which of these runs the reader may archive (false) or unarchive (true) now. */
export function useArchivable(runs: readonly RunJson[]): ReadonlyMap<boolean, readonly string[]> {
  const { id } = useWorld();
  const { experiment, compared } = useContents();
  const may = useMay()('experiment.update');
  const own = experiment.snapshot === null;
  const changeable = may ? runs.filter(({ run }) => own || homeOf(run, compared, id).id !== id) : [];
  return new Map(
    [...Map.groupBy(changeable, ({ archived }) => archived)].map(([archived, list]) => [archived, list.map(({ run }) => run)]),
  );
}
