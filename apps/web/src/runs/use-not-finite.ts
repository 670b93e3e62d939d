import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useStore } from '../app/store.ts';
import { useContents, useWorld } from '../experiment/experiment-context.ts';

/** Maximum number of series: a longer list takes too long for a badge. */
const maxSeries = 2_000;
/** Minimum interval between counts. */
const countEveryMs = 60_000;

interface Counted {
  readonly run: string;
  readonly tag: string;
  readonly nan_count: number | string | null;
}

/** Tags with NaN, by run of the page's experiment. Updated some time after data arrives. */
export function useTagsWithNaN(): ReadonlyMap<string, readonly string[]> {
  const { api, id, live } = useWorld();
  const { tags } = useContents();
  const latest = useStore(live, ({ frontier }) => Number(frontier?.epoch ?? 0));
  const series = tags.reduce((sum, { data_class: dataClass, runs }) => sum + (dataClass === 'scalar' ? runs : 0), 0);
  const { data } = useQuery({
    queryKey: ['nan', id],
    queryFn: async ({ signal }) => {
      const epoch = Number(live.value.frontier?.epoch ?? 0);
      const all = await api.list<Counted>(`/experiments/${id}/series`, 'series', signal);
      return { found: all.filter(({ nan_count: count }) => Number(count ?? 0) > 0), epoch };
    },
    enabled: series > 0 && series <= maxSeries,
    refetchInterval: ({ state: { data: known } }) => (known && known.epoch < latest ? countEveryMs : false),
  });
  return useMemo(() => {
    const byRun = Map.groupBy(data?.found ?? [], ({ run }) => run);
    return new Map([...byRun].map(([run, list]) => [run, [...new Set(list.map(({ tag }) => tag))]]));
  }, [data]);
}
