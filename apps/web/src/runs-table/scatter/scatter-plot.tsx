import { useMemo } from 'react';
import { type ScaleKind, scaleKinds, visibleText } from '#charts';
import { changeView } from '../../experiment/change-view.ts';
import { useView, useWorld } from '../../experiment/experiment-context.ts';
import type { RunColumn } from '../table-columns.ts';
import { ColumnChoice } from './column-choice.tsx';
import { canBePlotted } from './plot-columns.ts';
import { PlotFrame } from './plot-frame.tsx';
import { ScatterPoints } from './scatter-points.tsx';
import { usePlotCells } from './use-plot-cells.ts';

interface ScatterProps {
  /** All columns of the table. */
  readonly all: readonly RunColumn[];
  /** Columns that the table shows. */
  readonly shown: readonly RunColumn[];
  /** The tag with the last step that counts as a run's last step. */
  readonly step: string | null;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (runs: ReadonlySet<string>) => void;
}

/**
 * The runs in the table as points, with any two columns as axes. Clicking points or dragging a box
 * selects runs.
 */
export function ScatterPlot({ all, shown, step, selected, onSelect }: ScatterProps) {
  const { view } = useWorld();
  const plotX = useView((one) => one.plotX);
  const plotY = useView((one) => one.plotY);
  const plotColor = useView((one) => one.plotColor);
  const xScale = useView((one) => one.plotXScale);
  const yScale = useView((one) => one.plotYScale);
  const plottable = useMemo(() => all.filter(canBePlotted), [all]);
  const columns = useMemo(
    () => [plotX, plotY, plotColor].map((key) => plottable.find((column) => column.key === key) ?? null),
    [plottable, plotX, plotY, plotColor],
  );
  const { runs, cells, waiting, error } = usePlotCells(columns, step);
  const names = useMemo(() => runs.map(({ run }) => run), [runs]);
  const [x, y, color = null] = columns;
  const [xCells, yCells, colorCells = null] = cells;
  const missing = [plotX, plotY].filter((key) => !plottable.some((column) => column.key === key));
  return (
    <PlotFrame
      all={all}
      shown={shown}
      className="scatter"
      isBusy={waiting}
      error={error}
      choices={
        <>
          <ColumnChoice
            name="x"
            label="X-axis column"
            columns={plottable}
            chosen={plotX}
            onChoose={(key) => changeView(view, { plotX: key })}
          />
          <ScaleChoice name="x" kind={xScale} onChange={(kind) => changeView(view, { plotXScale: kind })} />
          <ColumnChoice
            name="y"
            label="Y-axis column"
            columns={plottable}
            chosen={plotY}
            onChoose={(key) => changeView(view, { plotY: key })}
          />
          <ScaleChoice name="y" kind={yScale} onChange={(kind) => changeView(view, { plotYScale: kind })} />
          <ColumnChoice
            name="Color"
            label="Point color"
            columns={plottable}
            chosen={plotColor}
            onChoose={(key) => changeView(view, { plotColor: key })}
          >
            <option value="">one color</option>
          </ColumnChoice>
        </>
      }
    >
      {missing.length > 0 && (
        <p className="dim">
          No run has {missing.map((key) => visibleText(key.replace(/^\w+:/, ''))).join(' and ')}. Choose another column.
        </p>
      )}
      {x && y && xCells && yCells && (
        <ScatterPoints
          names={names}
          columns={{ x, y, color }}
          cells={{ x: xCells, y: yCells, color: colorCells }}
          kinds={{ x: xScale, y: yScale }}
          selected={selected}
          onSelect={onSelect}
        />
      )}
    </PlotFrame>
  );
}

interface ScaleChoiceProps {
  readonly name: 'x' | 'y';
  readonly kind: ScaleKind;
  readonly onChange: (kind: ScaleKind) => void;
}

function ScaleChoice({ name, kind, onChange }: ScaleChoiceProps) {
  return (
    <select value={kind} aria-label={`${name.toUpperCase()}-axis scale`} onChange={({ target }) => onChange(target.value as ScaleKind)}>
      {scaleKinds.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  );
}
