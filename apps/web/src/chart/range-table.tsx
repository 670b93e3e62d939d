import { useMemo } from 'react';
import { type ChartLine, formatCount, formatValue } from '#charts';
import { RunCaption } from '../data/run-caption.tsx';
import { useContents, useView } from '../experiment/experiment-context.ts';
import { rangeRows } from './range-rows.ts';
import { withTags } from './tag-styles.ts';

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
  const rows = rangeRows(lines, range);
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
              <td className="number">{signed(formatValue(change), change)}</td>
              <td className="number">
                {Number.isFinite(relative) ? signed(`${(relative * 100).toFixed(1)} %`.replace('-', '−'), relative) : '–'}
              </td>
              <td className="number">{formatValue(min)}</td>
              <td className="number">{formatValue(max)}</td>
              <td className="number">{formatCount(points)}</td>
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
