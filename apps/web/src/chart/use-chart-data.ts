import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type ChartLine, chartLine, meanLine, type ScalarSeries, type Spread } from '#charts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { entriesWanted, runsWanted, stepsWanted } from '../experiment/wanted.ts';
import { scalarsKey } from './scalars-key.ts';

/** What a chart has to show. */
export interface ChartData {
  readonly lines: readonly ChartLine[];
  /** Nothing came yet. */
  readonly pending: boolean;
  /** Finer data of the zoomed part are on their way. */
  readonly refining: boolean;
  readonly error: Error | null;
  retry(): void;
}

/** The lines of a tag, and of those that are `also` in the chart: of the whole, and where a part is zoomed, of that part as fine as the chart can show. */
export function useChartData(tag: string, size: 'card' | 'large', also: readonly string[]): ChartData {
  const { id, loader } = useWorld();
  const { runs, shown, groups, compared } = useContents();
  const range = useView((view) => view.range);
  const xAxis = useView((view) => view.xAxis);
  const smoothing = useView((view) => view.smoothing);
  const spread = useView((view) => view.spread);
  const wanted = { tag, runs: runsWanted(shown, runs.length), points: entriesWanted(size, shown.size), compared };

  const whole = useQuery({
    queryKey: scalarsKey(id, { ...wanted, steps: null }),
    queryFn: () => loader.load({ ...wanted, steps: null }),
    placeholderData: keepPreviousData,
  });
  const steps = useMemo(() => stepsWanted(range, xAxis, whole.data ?? [], (series) => series.wallTime[0] ?? 0), [range, xAxis, whole.data]);
  const part = useQuery({
    queryKey: scalarsKey(id, { ...wanted, steps }),
    queryFn: () => loader.load({ ...wanted, steps }),
    enabled: steps !== null,
    placeholderData: keepPreviousData,
  });
  const finer = steps !== null && !part.isPlaceholderData ? part.data : undefined;

  const others = useQueries({
    queries: also.map((other) => {
      const wish = { ...wanted, tag: other, steps };
      return { queryKey: scalarsKey(id, wish), queryFn: () => loader.load(wish), placeholderData: keepPreviousData };
    }),
  });
  const stamp = others.map(({ dataUpdatedAt }) => dataUpdatedAt).join();
  const lines = useMemo(() => {
    const fine = new Map((finer ?? []).map((series) => [series.run, series]));
    const options = { xAxis, smoothing };
    const own = (whole.data ?? []).filter(({ run }) => shown.has(run)).map((series) => lineOf(series, fine.get(series.run), options));
    if (groups && spread !== '') return meansOf(own, groups, spread, smoothing);
    const more = others.flatMap(({ data }) => data ?? []).filter(({ run }) => shown.has(run));
    return [...own, ...more.map((series) => ({ ...chartLine(series, options), run: lineName(series) }))];
    // `stamp` says when the others have changed
  }, [whole.data, finer, stamp, shown, groups, spread, xAxis, smoothing]);

  return {
    lines,
    pending: whole.data === undefined && !whole.isError,
    refining: steps !== null && part.isFetching,
    error: whole.error ?? part.error,
    retry: () => void (whole.error ? whole : part).refetch(),
  };
}

/** What a line is called beside those of other tags. */
export function lineName({ run, tag }: Pick<ScalarSeries, 'run' | 'tag'>): string {
  return `${run} · ${tag}`;
}

/** A series that is whole already needs no part of it. */
function lineOf(series: ScalarSeries, part: ScalarSeries | undefined, options: Parameters<typeof chartLine>[1]): ChartLine {
  return part && !series.raw && part.step.length > 0 ? chartLine(part, options, series) : chartLine(series, options);
}

/** A line for each group; a group of one run is that run. */
function meansOf(lines: readonly ChartLine[], groups: ReadonlyMap<string, string>, spread: Spread, smoothing: number): ChartLine[] {
  const byGroup = Map.groupBy(lines, ({ run }) => groups.get(run) ?? '');
  return [...byGroup].map(([group, members]) =>
    members.length === 1 ? { ...members[0]!, run: group } : meanLine(group, members, spread, smoothing),
  );
}
