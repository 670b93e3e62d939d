import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { SeriesJson } from '#charts';
import { namesIn } from '../compare/compared-run.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { runsWanted } from '../experiment/wanted.ts';

/** What a run had logged before it was restarted further back. */
export interface Ghost {
  readonly run: string;
  /** In the order of the log; broken (NaN) where it goes back. */
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** Points that are read of a tag. More than a page of replaced points is no picture. */
const pageSize = 20_000;

const none: readonly Ghost[] = [];

/** The replaced points of a tag, when they are wanted. */
export function useGhosts(tag: string): readonly Ghost[] {
  const { id, api } = useWorld();
  const { tags, runs, shown } = useContents();
  const wanted = useView((view) => view.superseded);
  const xAxis = useView((view) => view.xAxis);
  const there = tags.some((one) => one.tag === tag && one.superseded_points > 0);
  const chosen = runsWanted(shown, runs.length);
  const of = chosen && namesIn('', chosen);
  const { data } = useQuery({
    queryKey: ['values', id, 'superseded', tag, of],
    queryFn: async ({ signal }) => {
      const body = { tags: [tag], ...(of && { runs: of }), sampling: 'raw', superseded: true, page_size: pageSize };
      return (await api.query<{ series: SeriesJson[] }>(`/experiments/${id}/scalars/query`, body, signal)).series;
    },
    enabled: wanted && there,
  });
  return useMemo(
    () => (wanted && data ? data.filter(({ run }) => shown.has(run)).map((series) => ghostOf(series, xAxis)) : none),
    [wanted, data, shown, xAxis],
  );
}

/** The superseded points of an answer of all points. */
export function ghostOf({ run, columns }: SeriesJson, xAxis: 'step' | 'relative' | 'wall'): Ghost {
  const { step = [], wall_time: time = [], value = [], superseded = [] } = columns;
  const x: number[] = [];
  const y: number[] = [];
  const start = Number(time[0]);
  let before = -Infinity;
  for (let i = 0; i < step.length; i++) {
    if (!superseded[i] || Number(step[i]) < before) {
      x.push(Number.NaN);
      y.push(Number.NaN);
    }
    before = Number(step[i]);
    if (!superseded[i]) continue;
    x.push(xAxis === 'step' ? before : Number(time[i]) - (xAxis === 'relative' ? start : 0));
    y.push(Number(value[i]));
  }
  return { run, x: Float64Array.from(x), y: Float64Array.from(y) };
}
