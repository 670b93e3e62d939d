import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useStore } from '../../app/store.ts';
import { useContents, useWorld } from '../../experiment/experiment-context.ts';

/** How often a growing experiment is queried again. */
const againMs = 15_000;

interface SeriesOfTensors {
  readonly run: string;
  readonly tag: string;
  readonly plugin: string;
  readonly data_class: string;
  readonly listed: boolean;
}

/** A tensor tag that no list of tags contains, because it was logged without a data class. */
export interface UnlistedTag {
  readonly tag: string;
  readonly plugin: string;
  readonly runs: number;
}

const none: readonly UnlistedTag[] = [];

/**
 * Tensors that were logged without a data class, for example by PyTorch's `add_tensor` or
 * `tf.summary.write`. Empty until they are known.
 */
export function useUnlistedTensors(): readonly UnlistedTag[] {
  const { api, id, live, firstCharts } = useWorld();
  const grows = useStore(live, ({ grewAt }) => grewAt !== null);
  const { data } = useQuery({
    queryKey: ['unlisted', id],
    queryFn: async ({ signal }) => {
      const path = `/experiments/${id}/series?unlisted=true&plugin=tensor&plugin=`;
      const series = await api.list<SeriesOfTensors>(path, 'series', signal);
      const found = series.filter((one) => one.data_class === 'tensor' && !one.listed);
      return [...Map.groupBy(found, ({ plugin, tag }) => JSON.stringify([plugin, tag])).values()].map((members): UnlistedTag => ({
        tag: members[0]!.tag,
        plugin: members[0]!.plugin,
        runs: new Set(members.map(({ run }) => run)).size,
      }));
    },
    enabled: firstCharts !== 'server' && !api.isStored,
    staleTime: againMs,
    refetchInterval: grows ? againMs : false,
  });
  return data ?? none;
}

/**
 * The runs with a tensor tag, in the order of the page, including runs of compared experiments.
 * Undefined until they are known.
 */
export function useTensorRuns({ tag, plugin }: Pick<UnlistedTag, 'tag' | 'plugin'>): readonly string[] | undefined {
  const { api, id } = useWorld();
  const { compared, styles } = useContents();
  const parts = [{ id, prefix: '' }, ...compared];
  const { data } = useQuery({
    queryKey: ['unlisted', id, plugin, tag, parts],
    queryFn: async ({ signal }) => {
      const query = `unlisted=true&tag=${encodeURIComponent(tag)}&plugin=${encodeURIComponent(plugin)}`;
      const found = await Promise.all(
        parts.map(async (part) => {
          const series = await api.list<SeriesOfTensors>(`/experiments/${part.id}/series?${query}`, 'series', signal);
          return series.filter((one) => one.data_class === 'tensor').map(({ run }) => part.prefix + run);
        }),
      );
      return new Set(found.flat());
    },
    staleTime: againMs,
    placeholderData: keepPreviousData,
  });
  return data && [...styles.keys()].filter((run) => data.has(run));
}
