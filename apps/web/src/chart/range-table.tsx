import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type ChartLine, formatCount, formatValue, type ScalarSeries } from '#charts';
import { RunCaption } from '../data/run-caption.tsx';
import { useContents, useView, useWorld } from '../experiment/experiment-context.ts';
import { runsWanted } from '../experiment/wanted.ts';
import { rangeRows, withExact } from './range-rows.ts';
import { withTags } from './tag-styles.ts';
import { lineName } from './use-chart-data.ts';

interface RangeTableProps {
  /** Those that are in the chart; the first is its own. */
  readonly tags: readonly string[];
  readonly lines: readonly ChartLine[];
}

/** What each run does in the part of the axis that is seen. */
export default function RangeTable({ tags, lines }: RangeTableProps) {
  const { styles: own } = useContents();
  const styles = useMemo(() => withTags(own, tags.slice(1)), [own, tags]);
  const range = useView((view) => view.range);
  const rows = withExact(rangeRows(lines, range), useExact(tags, lines));
  return (
    <div className="range-table" tabIndex={0} role="region" aria-label="Values of what is seen">
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
          {rows.map(({ run, first, last, change, relative, min, max, points }) => (
            <tr key={run}>
              <td>
                <RunCaption run={run} style={styles.get(run)} />
              </td>
              <td className="number">{formatValue(first)}</td>
              <td className="number">{formatValue(last)}</td>
              <td className="number">{textOf(change, signed(formatValue(change), change))}</td>
              <td className="number">
                {Number.isFinite(relative) ? signed(`${(relative * 100).toFixed(1)} %`.replace('-', '−'), relative) : '–'}
              </td>
              <td className="number">{textOf(min, formatValue(min))}</td>
              <td className="number">{textOf(max, formatValue(max))}</td>
              <td className="number">{Number.isNaN(points) ? '–' : formatCount(points)}</td>
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

/** What is no number, of no numbers, is a dash. */
function textOf(value: number, text: string): string {
  return Number.isNaN(value) ? '–' : text;
}

const none: readonly ScalarSeries[] = [];

/**
 * What the service says of exactly the steps that are seen, by the name of a line: charts ask for more than that, in buckets that reach over its ends. On axes of time, which
 * have no steps of their own where they are zoomed, nothing.
 */
function useExact(tags: readonly string[], lines: readonly ChartLine[]): (line: string) => readonly ScalarSeries[] {
  const { id, loader } = useWorld();
  const { runs, shown, groups, compared } = useContents();
  const range = useView((view) => view.range);
  const isStep = useView((view) => view.xAxis === 'step');
  const spread = useView((view) => view.spread);
  const known = lines.reduce((sum, { series }) => sum + series.sourcePoints, 0);
  const wanted = runsWanted(shown, runs.length);
  const steps = range && { from: Math.ceil(range.from), to: Math.floor(range.to) };
  const { data } = useQuery({
    queryKey: ['range', id, tags, steps, wanted, compared, known],
    queryFn: () =>
      Promise.all(
        tags.map((tag) => loader.load({ tag, steps, runs: wanted, points: 1, compared, smoothing: 0, spacing: 'linear' as const })),
      ),
    enabled: isStep || range === null,
  });
  return useMemo(() => {
    const byLine = new Map<string, ScalarSeries[]>();
    for (const [i, list] of (data ?? []).entries())
      for (const series of list) {
        if (!shown.has(series.run)) continue;
        const name = groups && spread !== '' ? (groups.get(series.run) ?? '') : series.run;
        const line = i === 0 ? name : lineName({ run: name, tag: series.tag });
        byLine.set(line, [...(byLine.get(line) ?? []), series]);
      }
    return (line) => byLine.get(line) ?? none;
  }, [data, shown, groups, spread]);
}
