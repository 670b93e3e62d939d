import { useQueryClient } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { ExperimentJson } from '../api/types.ts';
import { type Deleting, useDeleting } from '../app/use-deleting.ts';

/** Deletes experiments after a delay of a few seconds, during which the deletion can be undone. */
export function useDeletingExperiments(api: Api): Deleting<ExperimentJson> {
  const client = useQueryClient();
  return useDeleting<ExperimentJson>(
    ({ id }) => id,
    async (experiments, keepalive) => {
      // All at the same time, because the page may be unloading
      const results = await Promise.allSettled(experiments.map(({ id }) => api.remove(`/experiments/${id}`, keepalive)));
      void client.invalidateQueries({ queryKey: ['experiments'] });
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    },
  );
}
