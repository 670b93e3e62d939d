import { useMemo } from 'react';
import { maxPlotAxes, visibleText } from '#charts';
import { useNow } from '../../app/use-now.ts';
import { changeView } from '../../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../../experiment/experiment-context.ts';
import { readConditions, writeConditions } from '../../runs/conditions.ts';
import { shownRuns, wantsClock, wantsSeries } from '../../runs/shown-runs.ts';
import { useSeries } from '../../runs/use-series.ts';
import { ColumnPicker } from '../column-picker.tsx';
import { ColumnChoice } from '../scatter/column-choice.tsx';
import { canBePlotted } from '../scatter/plot-columns.ts';
import { PlotFrame } from '../scatter/plot-frame.tsx';
import { usePlotCells } from '../scatter/use-plot-cells.ts';
import type { RunColumn } from '../table-columns.ts';
import { firstAxes, rangeKey } from './parallel-columns.ts';
import { ParallelLines } from './parallel-lines.tsx';

/** How often the states of runs are reevaluated if a condition depends on them. */
const clockMs = 15_000;

interface ParallelPlotProps {
  /** All columns of the table. */
  readonly all: readonly RunColumn[];
  /** The columns that the table shows. */
  readonly shown: readonly RunColumn[];
  /** The tag with the last step that counts as a run's last step. */
  readonly step: string | null;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (runs: ReadonlySet<string>) => void;
}

/**
 * The runs in the table as lines across an axis for each column. A range on an axis filters the
 * runs.
 */
export function ParallelPlot({ all, shown, step, selected, onSelect }: ParallelPlotProps) {
  const { view } = useWorld();
  const plotAxes = useView((one) => one.plotAxes);
  const plotColor = useView((one) => one.plotColor);
  const where = useView((one) => one.where);
  const plottable = useMemo(() => all.filter(canBePlotted), [all]);
  const axes = useMemo(() => plotAxes.flatMap((key) => plottable.find((column) => column.key === key) ?? []), [plotAxes, plottable]);
  const color = useMemo(() => plottable.find(({ key }) => key === plotColor) ?? null, [plottable, plotColor]);
  const columns = useMemo(() => [...axes, color], [axes, color]);
  const conditions = useMemo(() => readConditions(where), [where]);
  const listed = useListedOtherwise(axes);
  const { runs, cells, waiting, error } = usePlotCells(columns, step, listed);
  const names = useMemo(() => runs.map(({ run }) => run), [runs]);
  const { axisCells, colorCells } = useMemo(() => ({ axisCells: cells.slice(0, -1), colorCells: cells.at(-1) ?? null }), [cells]);
  const known = axisCells.filter((one) => one !== null);
  const missing = plotAxes.filter((key) => !plottable.some((column) => column.key === key));
  const filtered = axes.flatMap((column) => {
    const key = rangeKey(column);
    return key !== undefined && conditions.has(key) ? [key] : [];
  });
  const clear = (): void =>
    changeView(view, { where: writeConditions(new Map([...conditions].filter(([key]) => !filtered.includes(key)))) });
  return (
    <PlotFrame
      all={all}
      shown={shown}
      className="scatter parallel"
      isBusy={waiting}
      error={error}
      choices={
        <>
          <ColumnPicker
            label="Axes"
            all={plottable}
            shown={axes}
            onShown={(keys) => changeView(view, { plotAxes: (keys ?? firstAxes(all, shown)).slice(0, maxPlotAxes) })}
          />
          <ColumnChoice
            name="Color"
            label="Line color"
            columns={plottable}
            chosen={plotColor}
            onChoose={(key) => changeView(view, { plotColor: key })}
          >
            <option value="">one color</option>
          </ColumnChoice>
          {filtered.length > 0 && (
            <button type="button" onClick={clear}>
              Clear ranges
            </button>
          )}
        </>
      }
    >
      {missing.length > 0 && (
        <p className="dim">No run has {missing.map((key) => visibleText(key.replace(/^\w+:/, ''))).join(' and ')}. Choose other axes.</p>
      )}
      {axes.length > 0 && known.length === axes.length && (
        <ParallelLines
          names={names}
          axes={axes}
          color={color}
          cells={known}
          colorCells={colorCells}
          conditions={conditions}
          selected={selected}
          onSelect={onSelect}
        />
      )}
    </PlotFrame>
  );
}

/**
 * The runs that pass all filters except the filters on these axes. Runs that only these filters
 * exclude are drawn in the background.
 */
function useListedOtherwise(axes: readonly RunColumn[]): ReadonlySet<string> {
  const { runs, compared, listed } = useContents();
  const where = useView((one) => one.where);
  const runFilter = useView((one) => one.runFilter);
  const archived = useView((one) => one.archived);
  const stalledAfter = useView((one) => one.stalledAfter);
  const others = useMemo(() => {
    const keys = new Set(axes.flatMap((column) => rangeKey(column) ?? []));
    return writeConditions(new Map([...readConditions(where)].filter(([key]) => !keys.has(key))));
  }, [axes, where]);
  const series = useSeries(wantsSeries({ where: others }), compared);
  const now = useNow(wantsClock({ where: others }) ? clockMs : null);
  return useMemo(() => {
    if (others.length === where.length) return listed;
    const view = { runFilter, where: others, archived, stalledAfter, onlyRuns: null, hiddenRuns: [] };
    return new Set(shownRuns(view, runs, series, now).listed);
  }, [others, where, listed, runFilter, archived, stalledAfter, runs, series, now]);
}
