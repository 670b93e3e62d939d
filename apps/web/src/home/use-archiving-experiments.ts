import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { ExperimentJson } from '../api/types.ts';

interface Archiving {
  readonly experiments: readonly ExperimentJson[];
  readonly archived: boolean;
}

/** Archives or unarchives experiments. `last` is the last change, which can be undone. */
export function useArchivingExperiments(api: Api) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: async ({ experiments, archived }: Archiving) => {
      for (const { id } of experiments) await api.send('PATCH', `/experiments/${id}`, { archived });
    },
    // Also after a failure, because some experiments may have been changed before it
    onSettled: () =>
      client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] === 'experiments' || queryKey[0] === 'experiment' }),
  });
  return { archive: change.mutate, busy: change.isPending, error: change.error, last: change.isSuccess ? change.variables : null };
}
