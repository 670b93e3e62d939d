import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import {
  type ChartLine,
  chartLine,
  type Extent,
  meanLine,
  type ScalarSeries,
  type ScaleKind,
  seriesKey,
  smoothLines,
  spacingOf,
  type Spread,
  stepsWanted,
  writerLines,
  xExtent,
  xTagOf,
  zoomedLine,
} from '#charts';
import { useSettled } from '../app/use-settled.ts';
import type { ComparingRequest } from '../compare/comparing-loader.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { wholeRequest } from '../experiment/wanted.ts';
import { scalarsKey } from './scalars-key.ts';
import { standIn } from './stand-in.ts';
import { smoothingRestMs, useAskedSmoothing } from './use-asked-smoothing.ts';

/** The data of a chart. */
export interface ChartData {
  readonly lines: readonly ChartLine[];
  /** The lines as logged; changing the smoothing does not change them. */
  readonly logged: readonly ChartLine[];
  /** Whether nothing has arrived yet. */
  readonly pending: boolean;
  /** Whether finer data for the visible part is loading. */
  readonly refining: boolean;
  /** Why requested data is missing; earlier data may still be drawn. */
  readonly error: Error | null;
  retry(): void;
  /** The full range of an x axis of this kind, without zoom. */
  extent(kind: ScaleKind): Extent | null;
}

/**
 * The lines of tags in one chart: complete, and in a zoomed range as fine as the chart can show.
 * Shows the best known data until the requested data arrives. `tags`: the first is the chart's own,
 * and its lines have the names of their runs unless `named`. `isFormula`: the tags are expressions
 * over tags. `only`: shows the series of this run alone, as logged, with one line for each writer.
 */
export function useChartData(
  tags: readonly string[],
  size: 'card' | 'large',
  {
    named = false,
    isFormula = false,
    only = null,
  }: { readonly named?: boolean; readonly isFormula?: boolean; readonly only?: string | null } = {},
): ChartData {
  const client = useQueryClient();
  const { id, loader } = useWorld();
  const contents = useContents();
  const { runs, groups, compared } = contents;
  const shown = useMemo(() => (only === null ? contents.shown : new Set([only])), [only, contents.shown]);
  const range = useView((view) => view.range);
  const xAxis = useView((view) => view.xAxis);
  const smoothing = useView((view) => (only === null ? view.smoothing : 0));
  const spacing = useView(spacingOf);
  const writers = useView((view) => view.writers);
  const settled = useSettled(smoothing, smoothingRestMs);
  const spread = useView((view) => view.spread);
  const query = (request: ComparingRequest, enabled: boolean) => ({
    queryKey: scalarsKey(id, request),
    queryFn: () => loader.load(request),
    enabled,
  });

  const wholeRequests = useAskedSmoothing(
    tags.map((tag) =>
      wholeRequest(tag, size, {
        shown,
        tags: tags.length,
        runs: only === null ? runs.length : Infinity,
        compared,
        smoothing,
        spacing,
        x: xTagOf(xAxis),
        isFormula,
      }),
    ),
    smoothing,
  );
  const wholes = useQueries({ queries: wholeRequests.map((request) => query(request, true)) });
  const whole = useUnchanged(wholes.map(({ data }, i) => data ?? standIn(client, id, wholeRequests[i]!)));

  const partRequests = wholeRequests.map((request, i): ComparingRequest => ({
    ...request,
    smoothing: settled,
    steps: stepsWanted(range, xAxis, whole[i] ?? []),
  }));
  const parts = useQueries({ queries: partRequests.map((request) => query(request, request.steps !== null)) });
  const finer = useUnchanged(
    partRequests.map((request, i) => (request.steps === null ? undefined : (parts[i]!.data ?? standIn(client, id, request)))),
  );

  const names = useUnchanged(tags);
  const logged = useMemo(
    () =>
      names.flatMap((tag, i) => {
        const fine = new Map((finer[i] ?? []).map((series) => [seriesKey(series), series]));
        const all = (whole[i] ?? []).filter(({ run }) => shown.has(run));
        const own = all.map((series) => zoomedLine(series, fine.get(seriesKey(series)), { xAxis, smoothing: 0, range }));
        if (only !== null) return own;
        const drawn = groups && spread !== '' ? meansOf(own, groups, spread) : writerLines(own, writers);
        return i === 0 && !named ? drawn : drawn.map((line) => ({ ...line, run: lineName({ run: line.run, tag }) }));
      }),
    [names, whole, finer, shown, only, groups, spread, writers, xAxis, range, named],
  );
  const lines = useMemo(() => smoothLines(logged, smoothing), [logged, smoothing]);

  const asked = [...wholes, ...parts.filter((_, i) => partRequests[i]!.steps !== null)];
  const failed = asked.filter(({ data, error }) => data === undefined && error !== null);
  return {
    lines,
    logged,
    pending: whole[0] === undefined && failed.length === 0,
    refining: asked.some(({ data, isFetching }) => data === undefined && isFetching),
    error: failed[0]?.error ?? null,
    retry: () => failed.forEach(({ refetch }) => void refetch()),
    extent: (kind) => {
      const all = whole.flatMap((series) => series ?? []).filter(({ run }) => shown.has(run));
      return xExtent(
        all.map((series) => chartLine(series, { xAxis, smoothing: 0 })),
        kind,
      );
    },
  };
}

/** Returns the previous list if the content is the same. */
function useUnchanged<T>(list: readonly T[]): readonly T[] {
  const kept = useRef(list);
  if (kept.current.length !== list.length || list.some((one, i) => one !== kept.current[i])) kept.current = list;
  return kept.current;
}

/** The name of a run's line in a chart with several tags. */
export function lineName({ run, tag }: Pick<ScalarSeries, 'run' | 'tag'>): string {
  return `${run} · ${tag}`;
}

/** A line for each group; a group of one run is drawn as that run. */
function meansOf(lines: readonly ChartLine[], groups: ReadonlyMap<string, string>, spread: Spread): ChartLine[] {
  const byGroup = Map.groupBy(lines, ({ run }) => groups.get(run) ?? '');
  return [...byGroup].map(([group, members]) => (members.length === 1 ? { ...members[0]!, run: group } : meanLine(group, members, spread)));
}
