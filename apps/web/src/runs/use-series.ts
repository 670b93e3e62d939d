import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Compared } from '../compare/compared-run.ts';
import { useWorld } from '../experiment/experiment-context.ts';

/** The statistics of a scalar series, for sorting and for tables. */
export interface SeriesStats {
  readonly run: string;
  readonly tag: string;
  readonly last: number | string | null;
  readonly min: number | string | null;
  readonly max: number | string | null;
  readonly points: number | string;
  readonly last_step?: number | string | null;
  readonly last_wall_time?: number | string | null;
}

/**
 * One entry per run and tag. Combines concurrent writers as the service does when it sorts and
 * filters runs.
 */
export function withoutWriters(series: readonly SeriesStats[]): SeriesStats[] {
  return [...Map.groupBy(series, ({ run, tag }) => JSON.stringify([run, tag])).values()].map((writers) => {
    if (writers.length === 1) return writers[0]!;
    const known = writers.filter(({ points }) => Number(points) > 0);
    const numbers = (of: 'min' | 'max'): number[] => known.flatMap((one) => (one[of] === null ? [] : [Number(one[of])]));
    const [lows, highs] = [numbers('min'), numbers('max')];
    return {
      ...known.reduce((a, b) => (isLater(b, a) ? b : a), known[0] ?? writers[0]!),
      min: lows.length > 0 ? Math.min(...lows) : null,
      max: highs.length > 0 ? Math.max(...highs) : null,
      points: writers.reduce((sum, { points }) => sum + Number(points), 0),
    };
  });
}

/**
 * The last point is the one with the largest step. If steps are equal, it is the one that was
 * logged last.
 */
function isLater(a: SeriesStats, b: SeriesStats): boolean {
  const [step, other] = [BigInt(a.last_step ?? 0), BigInt(b.last_step ?? 0)];
  return step === other ? Number(a.last_wall_time ?? -Infinity) > Number(b.last_wall_time ?? -Infinity) : step > other;
}

/**
 * All scalar series with their last, smallest and largest values, including those of compared
 * experiments. Requested only while `wanted`.
 */
export function useSeries(wanted: boolean, compared: readonly Compared[]): readonly SeriesStats[] | undefined {
  const { id, api } = useWorld();
  const lists = useQueries({
    queries: [id, ...compared.map((one) => one.id)].map((experiment) => ({
      queryKey: ['series', experiment],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const path = `/experiments/${experiment}/series`;
        const all = await api.list<SeriesStats & { readonly data_class: string }>(path, 'series', signal);
        return withoutWriters(all.filter(({ data_class: dataClass }) => dataClass === 'scalar'));
      },
      enabled: wanted,
    })),
    combine: dataOf,
  });
  return useMemo(() => {
    if (lists.includes(undefined)) return undefined;
    return lists.flatMap((list = [], i) => {
      const prefix = i === 0 ? '' : compared[i - 1]!.prefix;
      return prefix === '' ? list : list.map((one) => ({ ...one, run: prefix + one.run }));
    });
  }, [lists, compared]);
}

/**
 * The data of responses, for `combine`. TanStack keeps the list while its parts are the same.
 * Derive other values in a `useMemo`: here, they would be computed twice per change and compared
 * value by value.
 */
export function dataOf<T>(responses: readonly UseQueryResult<T>[]): (T | undefined)[] {
  return responses.map(({ data }) => data);
}
