import { useQuery } from '@tanstack/react-query';
import { useStore } from '../app/store.ts';
import { useWorld } from '../experiment/experiment-context.ts';
import { hasLogs } from './log-api.ts';

/** How often to check whether a growing experiment without logs has any. */
const againMs = 15_000;

/** Whether the experiment has logs. False until this is known. */
export function useHasLogs(): boolean {
  const { api, id, live, firstCharts } = useWorld();
  const grows = useStore(live, ({ grewAt }) => grewAt !== null);
  const { data } = useQuery({
    queryKey: ['logs', id, 'any'],
    queryFn: ({ signal }) => hasLogs(api, id, signal),
    enabled: firstCharts !== 'server',
    staleTime: againMs,
    refetchInterval: ({ state }) => (state.data === true || !grows ? false : againMs),
  });
  return data === true;
}
