import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { RunJson } from '../../api/types.ts';
import { useNow } from '../../app/use-now.ts';
import { useContents, useView, useWorld } from '../../experiment/experiment-context.ts';
import type { Cell } from '../../runs/conditions.ts';
import { runState } from '../../runs/run-state.ts';
import { dataOf, type SeriesStats, withoutWriters } from '../../runs/use-series.ts';
import { factOf, numberOf, type RunColumn, tagOf } from '../table-columns.ts';

/** How often the states of runs are reevaluated. */
const clockMs = 15_000;

export interface PlotCells {
  /** The runs that pass the filters, sorted by start time. */
  readonly runs: readonly RunJson[];
  /**
   * For each column, one cell per run. Null if the column is not requested, or if its values are
   * not loaded yet.
   */
  readonly cells: readonly (readonly Cell[] | null)[];
  readonly waiting: boolean;
  readonly error: Error | null;
}

/**
 * The cells of some columns, for all runs that pass the filters. The page already has the
 * properties of runs; the values of a tag require a request. `only`: uses these runs instead.
 */
export function usePlotCells(columns: readonly (RunColumn | null)[], step: string | null, only?: ReadonlySet<string>): PlotCells {
  const { api, id } = useWorld();
  const { runs: all, compared, listed: passing } = useContents();
  const listed = only ?? passing;
  const stalledAfter = useView((view) => view.stalledAfter);
  const now = useNow(columns.some((column) => column?.kind === 'state') ? clockMs : null);
  const tags = useMemo(() => [...new Set(columns.flatMap((column) => (column && seriesTag(column, step)) ?? []))], [columns, step]);
  const experiments = useMemo(() => [{ id, prefix: '' }, ...compared], [id, compared]);
  const { lists, error } = useQueries({
    queries: tags.flatMap((tag) =>
      experiments.map((experiment) => ({
        queryKey: ['series', experiment.id, 'tag', tag],
        queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
          const path = `/experiments/${experiment.id}/series?${new URLSearchParams({ tag }).toString()}`;
          const found = await api.list<SeriesStats & { readonly data_class: string }>(path, 'series', signal);
          return withoutWriters(found.filter(({ data_class: dataClass }) => dataClass === 'scalar'));
        },
      })),
    ),
    combine: listsOf,
  });
  const series = useMemo(
    () =>
      new Map(
        tags.map((tag, i) => {
          const parts = lists.slice(i * experiments.length, (i + 1) * experiments.length);
          if (parts.includes(undefined)) return [tag, null];
          const own = parts.flatMap((list = [], at) => list.map((one) => [experiments[at]!.prefix + one.run, one] as const));
          return [tag, new Map(own)];
        }),
      ),
    [lists, tags, experiments],
  );
  const runs = useMemo(() => all.filter(({ run }) => listed.has(run)), [all, listed]);
  const cells = useMemo(
    () =>
      columns.map((column) => {
        if (column === null) return null;
        if (column.kind === 'state') return runs.map((run) => runState(run, now, stalledAfter));
        const tag = seriesTag(column, step);
        if (tag === null) return runs.map(factOf(column) ?? (() => null));
        const known = series.get(tag);
        if (!known) return null;
        const summary = column.of === 'min' || column.of === 'max' ? column.of : column.of === 'last' ? 'last' : 'last_step';
        return runs.map(({ run }) => numberOf(known.get(run)?.[summary] ?? null));
      }),
    [columns, runs, series, step, now, stalledAfter],
  );
  return {
    runs,
    cells,
    waiting: lists.includes(undefined),
    error,
  };
}

/** The series from each response, and the first error. */
function listsOf(responses: readonly UseQueryResult<SeriesStats[]>[]) {
  return { lists: dataOf(responses), error: responses.find(({ error }) => error !== null)?.error ?? null };
}

/** The tag whose series contain a column's values. Null if the runs contain them. */
function seriesTag(column: RunColumn, step: string | null): string | null {
  if (column.key === 'step') return step;
  return column.of === undefined ? null : tagOf(column);
}
