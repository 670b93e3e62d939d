import { useQuery } from '@tanstack/react-query';
import pMap from 'p-map';
import { useMemo } from 'react';
import {
  type ChartLine,
  formatCount,
  formatDistinct,
  formatValue,
  isTimeAxis,
  type ScalarSeries,
  seriesKey,
  writerName,
  xTagOf,
} from '#charts';
import type { ComparingRequest } from '../compare/comparing-loader.ts';
import { RunCaption } from '../data/run-caption.tsx';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { runsWanted } from '../experiment/wanted.ts';
import { exactInTimes } from './exact-times.ts';
import { notFiniteText } from './not-finite-text.ts';
import { numbersByLine, numbersOfEntries, type RangeNumbers, type RangeRow, rangeRows, withExact } from './range-rows.ts';
import { withTags } from './tag-styles.ts';
import { lineName } from './use-chart-data.ts';

interface RangeTableProps {
  /** The chart's tags; its own tag comes first. */
  readonly tags: readonly string[];
  readonly lines: readonly ChartLine[];
}

/** Statistics of each run, in the visible range of the axis. */
export default function RangeTable({ tags, lines }: RangeTableProps) {
  const { styles: own, shown: shownRuns } = useContents();
  const styles = useMemo(() => withTags(own, tags, shownRuns), [own, tags, shownRuns]);
  const range = useView((view) => view.range);
  const rows = withExact(rangeRows(lines, range), useExact(tags, lines));
  const shown = (of: (row: RangeRow) => number): string[] => formatDistinct(rows.map(of));
  const [firsts, lasts] = [shown(({ first }) => first), shown(({ last }) => last)];
  const [lows, highs] = [shown(({ min }) => min), shown(({ max }) => max)];
  return (
    <div className="range-table" tabIndex={0} role="region" aria-label="Values in the visible range">
      <table className="figures">
        <thead>
          <tr>
            <th>Run</th>
            <th className="number">First</th>
            <th className="number">Last</th>
            <th className="number">Change</th>
            <th className="number">%</th>
            <th className="number">Min</th>
            <th className="number">Max</th>
            <th className="number">Points</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ run, change, relative, min, max, points, notFinite, approximate }, i) => (
            <tr key={run}>
              <td>
                <RunCaption run={run} style={styles.get(run)} />
              </td>
              <td className="number">{firsts[i]}</td>
              <td className="number">{lasts[i]}</td>
              <td className="number">{textOf(change, signed(formatValue(change), change))}</td>
              <td className="number">{textOf(relative, signed(`${(relative * 100).toFixed(1)} %`.replace('-', '−'), relative))}</td>
              <td className="number">{Number.isNaN(min) ? '–' : lows[i]}</td>
              <td className="number">{Number.isNaN(max) ? '–' : highs[i]}</td>
              <td
                className="number"
                title={approximate ? 'Includes all points of the buckets at the ends of the visible range' : undefined}
              >
                {Number.isNaN(points) ? '–' : `${approximate ? '≈ ' : ''}${formatCount(points)}`}
                {notFiniteText(notFinite, formatCount) !== '' && <span className="dim"> {notFiniteText(notFinite, formatCount)}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function signed(text: string, value: number): string {
  return value > 0 ? `+${text}` : text;
}

/** Shows non-finite values as a dash. */
function textOf(value: number, text: string): string {
  return Number.isFinite(value) ? text : '–';
}

const none: readonly RangeNumbers[] = [];
/**
 * Limits for exact numbers on time axes: entries per request, and number of series. Each series
 * takes several requests, which are repeated whenever a live run grows.
 */
const entries = 1_000;
const maxSeries = 20;
/** Maximum number of series requested concurrently. */
const atOnce = 4;

/**
 * The exact numbers of the visible range, by line name: the charts' buckets cross the ends of the
 * range. Omitted on a time axis if there are too many series.
 */
function useExact(tags: readonly string[], lines: readonly ChartLine[]): (line: string) => readonly RangeNumbers[] {
  const { id, loader } = useWorld();
  const { runs, shown, groups, compared } = useContents();
  const range = useView((view) => view.range);
  const xAxis = useView((view) => view.xAxis);
  const spread = useView((view) => view.spread);
  const known = lines.reduce((sum, { series }) => sum + series.sourcePoints, 0);
  const wanted = runsWanted(shown, runs.length);
  const times = range && isTimeAxis(xAxis) ? { axis: xAxis, ...range } : null;
  const isUnknown = range !== null && xTagOf(xAxis) !== null; // which steps that is
  const steps = range && !times ? { from: Math.ceil(range.from), to: Math.floor(range.to) } : null;
  const asked = times && [...shown].sort();
  const names = JSON.stringify(lines.map(({ run }) => run));
  const { data } = useQuery({
    enabled: !isUnknown,
    queryKey: ['range', id, tags, steps, times, wanted, asked, compared, known],
    queryFn: async () => {
      const load = (tag: string, part: Pick<ComparingRequest, 'runs' | 'steps' | 'points'>): Promise<readonly ScalarSeries[]> =>
        loader.load({ tag, compared, smoothing: 0, spacing: 'linear', ...part });
      const responses = await Promise.all(tags.map((tag) => load(tag, { steps, runs: wanted, points: times ? entries : 1 })));
      const all = responses.flatMap((list, i) =>
        list.filter(({ run }) => !asked || shown.has(run)).map((series) => ({ series, tag: tags[i]!, isOwn: i === 0 })),
      );
      if (!times) return all.map((one) => ({ ...one, numbers: numbersOfEntries(one.series) }));
      if (all.length > maxSeries) return [];
      const found = await pMap(
        all,
        ({ series, tag }) =>
          exactInTimes(series, times.axis, times, async (from, to) =>
            (await load(tag, { runs: [series.run], steps: { from, to }, points: entries })).find(
              (one) => seriesKey(one) === seriesKey(series),
            ),
          ),
        { concurrency: atOnce },
      );
      return all.map((one, i) => ({ ...one, numbers: found[i] ?? null }));
    },
  });
  return useMemo(() => {
    const isLine = new Set(JSON.parse(names) as string[]);
    const found = (isUnknown ? [] : (data ?? [])).flatMap(({ series, numbers, isOwn }) => {
      if (!shown.has(series.run)) return [];
      const group = groups && spread !== '' ? (groups.get(series.run) ?? '') : series.run;
      const nameOf = (run: string): string => (isOwn ? run : lineName({ run, tag: series.tag }));
      const writer = nameOf(writerName(series));
      return [{ line: isLine.has(writer) ? writer : nameOf(group), numbers }];
    });
    const byLine = numbersByLine(found);
    return (line) => byLine.get(line) ?? none;
  }, [data, isUnknown, shown, groups, spread, names]);
}
