import { useQueries } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { ExperimentJson, RunJson, TagJson } from '../api/types.ts';
import type { ComparedParts } from './compared-run.ts';

/** The compared experiments. */
export interface Others {
  /** The compared experiments that are loaded. */
  readonly parts: readonly ComparedParts[];
  /** Ids of experiments that cannot be read. */
  readonly failed: readonly string[];
}

export const noOthers: Others = { parts: [], failed: [] };

/** Ids come from the URL; anything that is not an id must not become part of a path */
const idForm = /^[A-Za-z0-9]{22}$/;

/**
 * Loads the experiments to compare with. If an experiment cannot be loaded, the other experiments
 * are not affected.
 */
export function useOthers(api: Api, own: string, ids: readonly string[]): Others {
  const wanted = ids.filter((id) => id !== own && idForm.test(id));
  return useQueries({
    queries: wanted.map((id) => ({
      queryKey: ['compared', id],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<ComparedParts> => {
        const path = `/experiments/${id}`;
        const experiment = await api.get<ExperimentJson>(path, signal); // first, because the other responses include everything up to its frontier
        const [runs, tags] = await Promise.all([
          api.list<RunJson>(`${path}/runs?page_size=1000`, 'runs', signal),
          api.list<TagJson>(`${path}/tags`, 'tags', signal),
        ]);
        return { experiment, runs, tags };
      },
    })),
    // Called at each render; TanStack keeps the result while its parts are unchanged.
    combine: (responses) => ({
      parts: responses.flatMap(({ data }) => (data ? [data] : [])),
      failed: wanted.filter((_, i) => responses[i]!.isError),
    }),
  });
}
