import { type ReactNode, useEffect, useMemo } from 'react';
import type { ChartLine, HeatMap } from '#charts';
import { problemText } from '../../api/problem.ts';
import { namesIn, runText } from '../../compare/compared-run.ts';
import { useContents, useView } from '../../experiment/experiment-context.ts';
import { useChartData } from '../use-chart-data.ts';
import { heatExtent } from './heat-cells.ts';
import { HeatLegend } from './heat-legend.tsx';
import { HeatPlot } from './heat-plot.tsx';
import { heatAxis, heatRows } from './heat-rows.ts';
import { HeatSettings } from './heat-settings.tsx';

interface HeatMapProps {
  readonly tags: readonly string[];
  readonly title: string;
  readonly heatMap: HeatMap;
  readonly onChange: (heatMap: HeatMap) => void;
  readonly onLines: (lines: readonly ChartLine[]) => void;
}

/** The tags of one run as a heat map: a row for each tag, a column for each step. */
export default function HeatMapChart({ tags, title, heatMap, onChange, onLines }: HeatMapProps) {
  const { runs, shown } = useContents();
  const all = runs.flatMap(({ run }) => (shown.has(run) ? [run] : []));
  const own = namesIn('', all);
  const choices = own.length > 0 ? own : all.slice(0, 1);
  const run = choices.find((one) => one === heatMap.run) ?? choices[0];
  if (run === undefined) return <p className="chart-message">No data for the selected runs.</p>;
  const settings = <HeatSettings heatMap={heatMap} run={run} runs={choices} onChange={onChange} />;
  return <HeatMapOfRun run={run} isOneOfSeveral={all.length > 1} {...{ tags, title, heatMap, settings, onLines }} />;
}

interface OfRunProps extends Omit<HeatMapProps, 'onChange'> {
  readonly run: string;
  readonly isOneOfSeveral: boolean;
  readonly settings: ReactNode;
}

function HeatMapOfRun({ run, isOneOfSeveral, tags, title, heatMap, settings, onLines }: OfRunProps) {
  const range = useView((all) => all.range);
  const xAxis = useView((all) => all.xAxis);
  const xScale = useView((all) => all.xScale);
  const ignoreOutliers = useView((all) => all.ignoreOutliers);
  const { logged: lines, pending, refining, error, retry } = useChartData(tags, 'card', { named: true, only: run });
  useEffect(() => onLines(lines), [lines, onLines]);
  const rows = useMemo(() => heatRows(tags, lines), [tags, lines]);
  const kind = xAxis === 'wall' ? 'linear' : xScale;
  const x = useMemo(() => heatAxis(lines, kind, range), [lines, kind, range]);
  const colors = useMemo(
    () => x && heatExtent(rows, x, { scale: heatMap.scale, value: heatMap.value, ignoreOutliers }),
    [rows, x, heatMap.scale, heatMap.value, ignoreOutliers],
  );
  return (
    <div className="heat-map" aria-busy={pending || refining}>
      <div className="heat-head">
        {settings}
        {isOneOfSeveral && (
          <span className="heat-run" title={runText(run)}>
            {runText(run)}
          </span>
        )}
        {x && colors && <HeatLegend rows={rows} x={x} heatMap={heatMap} colors={colors} ignoreOutliers={ignoreOutliers} />}
      </div>
      {error !== null && (
        <p className="chart-message">
          {problemText(error)}{' '}
          <button type="button" className="quiet" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      {error === null && !pending && !x && <p className="chart-message">No data for the selected runs.</p>}
      {error === null && x && <HeatPlot rows={rows} x={x} colors={colors} {...{ run, title, heatMap, xAxis }} />}
    </div>
  );
}
