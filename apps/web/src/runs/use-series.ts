import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Compared } from '../compare/compared-run.ts';
import { useWorld } from '../experiment/experiment-context.ts';

/** What is known of a scalar series, for sorting and tables. */
export interface SeriesStats {
  readonly run: string;
  readonly tag: string;
  readonly last: number | string | null;
  readonly min: number | string | null;
  readonly max: number | string | null;
  readonly points: number | string;
}

/** All scalar series with their last, smallest and largest values, those of compared experiments too; asked for only while `wanted`. */
export function useSeries(wanted: boolean, compared: readonly Compared[]): readonly SeriesStats[] | undefined {
  const { id, api } = useWorld();
  const answers = useQueries({
    queries: [id, ...compared.map((one) => one.id)].map((experiment) => ({
      queryKey: ['series', experiment],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const path = `/experiments/${experiment}/series`;
        const all = await api.list<SeriesStats & { readonly data_class: string }>(path, 'series', signal);
        return all.filter(({ data_class: dataClass }) => dataClass === 'scalar');
      },
      enabled: wanted,
    })),
  });
  const stamp = answers.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  return useMemo(() => {
    if (answers.some(({ data }) => data === undefined)) return undefined;
    return answers.flatMap(({ data = [] }, i) => {
      const prefix = i === 0 ? '' : compared[i - 1]!.prefix;
      return prefix === '' ? data : data.map((one) => ({ ...one, run: prefix + one.run }));
    });
    // `stamp` says when an answer has changed
  }, [stamp, compared]);
}
