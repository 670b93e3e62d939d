import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { ExperimentJson } from '../api/types.ts';
import { listParameters, plainHome } from './home-view.ts';
import { useSettled } from '../app/use-settled.ts';

/** Maximum number of experiments that a search lists. */
const maxFound = 20;
const typingMs = 200;

/**
 * The newest experiments with this text in their name, to choose from. `enabled`: whether to search
 * at all. `wanted`: the text to search for, after a pause in typing.
 */
export function useFoundExperiments(api: Api, search: string, enabled = true) {
  const wanted = useSettled(search.trim(), typingMs);
  const { data: found, error } = useQuery({
    queryKey: ['experiments', 'found', wanted],
    queryFn: async ({ signal }) => {
      const parameters = new URLSearchParams({ page_size: String(maxFound), ...listParameters({ ...plainHome, text: wanted }) });
      return (await api.get<{ experiments: readonly ExperimentJson[] }>(`/experiments?${parameters}`, signal)).experiments;
    },
    enabled,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
  });
  return { found, wanted, error };
}
