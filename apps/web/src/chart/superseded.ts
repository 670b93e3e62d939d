import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { formatCount, type SeriesJson, stepsAround, type XAxis, xTagOf } from '#charts';
import { problemText } from '../api/problem.ts';
import { partsWanted } from '../compare/shown-parts.ts';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { runsWanted } from '../experiment/wanted.ts';
import { readSuperseded, type SupersededPoints } from './superseded-points.ts';

/** The points that a run logged before it was restarted at an earlier step. */
export interface Ghost {
  readonly run: string;
  /** In log order, with a break (NaN) where steps go back. */
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** The points to draw, and a note if they are incomplete. */
interface Ghosts {
  readonly ghosts: readonly Ghost[];
  readonly note: string;
}

const none: Ghosts = { ghosts: [], note: '' };

/**
 * Reads the superseded points of a tag if they are requested, and again when their number changes.
 */
export function useGhosts(tag: string): Ghosts {
  const { id, api } = useWorld();
  const { tags, runs, shown, compared } = useContents();
  const xAxis = useView((view) => view.xAxis);
  // Their positions on another tag's axis are unknown, because that tag may have been superseded
  // too
  const wanted = useView((view) => view.superseded) && xTagOf(xAxis) === null;
  const range = useView((view) => view.range);
  const count = tags.find((one) => one.tag === tag && one.data_class === 'scalar')?.superseded_points ?? 0;
  const parts = partsWanted(id, compared, runsWanted(shown, runs.length));
  const steps = range && xAxis === 'step' ? stepsAround(range) : null;
  const isPart = steps !== null;
  const { data, error } = useQuery<readonly SupersededPoints[]>({
    queryKey: ['superseded', id, tag, count, parts, steps],
    queryFn: ({ signal }): Promise<SupersededPoints[]> =>
      Promise.all(
        parts.map(async ({ id: experimentId, prefix, runs: names }) => {
          const response = await readSuperseded(api, { experimentId, tag, runs: names, steps }, signal);
          return { ...response, series: response.series.map((one) => ({ ...one, run: prefix + one.run })) };
        }),
      ),
    enabled: wanted && (count > 0 || compared.length > 0),
    placeholderData: keepPreviousData,
  });
  return useMemo(() => {
    if (!wanted) return none;
    if (!data) return error ? { ghosts: [], note: `Could not load superseded points: ${problemText(error)}` } : none;
    const ghosts = data.flatMap(({ series }) => series.filter(({ run }) => shown.has(run)).map((one) => ghostOf(one, xAxis)));
    return { ghosts, note: noteOf(data, isPart) };
  }, [wanted, data, error, shown, xAxis, isPart]);
}

/** Returns an empty string if all points are drawn. */
export function noteOf(responses: readonly SupersededPoints[], isPart: boolean): string {
  if (responses.every(({ complete }) => complete)) return '';
  const [found, all] = [sum(responses.map((one) => one.found)), sum(responses.map((one) => one.all))];
  return isPart
    ? `Only the first ${formatCount(found)} superseded points of this range are drawn.`
    : `The first ${formatCount(found)} of ${formatCount(all)} superseded points are drawn. Zoom in to see the others.`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** Finds the superseded points in a response that contains all points. */
export function ghostOf({ run, columns }: SeriesJson, xAxis: XAxis): Ghost {
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
