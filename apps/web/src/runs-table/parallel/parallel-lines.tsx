import { useMemo, useRef } from 'react';
import { countText, formatCount, visibleText } from '#charts';
import { useStore } from '../../app/store.ts';
import { useTheme } from '../../app/theme.ts';
import { useWidth } from '../../data/use-width.ts';
import { changeView } from '../../experiment/change-view.ts';
import { useContents, useWorld } from '../../experiment/experiment-context.ts';
import { ReadablePlot } from '../../plot/readable-plot.tsx';
import { type Cell, writeConditions } from '../../runs/conditions.ts';
import { ColorLegend } from '../scatter/color-legend.tsx';
import { PlotReading } from '../scatter/plot-reading.tsx';
import { usePlotReading } from '../scatter/use-plot-reading.ts';
import type { RunColumn } from '../table-columns.ts';
import { AxisMenu } from './axis-menu.tsx';
import { type AxisRange, conditionOf, rangeBetween, rangeOf } from './axis-range.ts';
import { alphaOf, nearestLine } from './draw-parallel.ts';
import { DrawnAxis, RangeMark } from './drawn-axis.tsx';
import { LinesCanvas } from './lines-canvas.tsx';
import { rangeKey } from './parallel-columns.ts';
import { bottom, height, placeAt, top } from './parallel-layout.ts';
import { useAxisBrush } from './use-axis-brush.ts';
import { useDrawnLines } from './use-drawn-lines.ts';

/** The line height of the tooltip. */
const rowHeight = 19;
/** Minimum distance between axes; a narrower page scrolls. */
const minGap = 96;
/** A line is read if the pointer is within this many pixels. */
const reach = 10;

interface LinesProps {
  /** The runs, by their names on the page. */
  readonly names: readonly string[];
  readonly axes: readonly RunColumn[];
  readonly color: RunColumn | null;
  /** For each axis, one cell per run. */
  readonly cells: readonly (readonly Cell[])[];
  readonly colorCells: readonly Cell[] | null;
  /** The table's conditions, by the keys of {@link rangeKey}. */
  readonly conditions: ReadonlyMap<string, string>;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (runs: ReadonlySet<string>) => void;
}

/**
 * The lines with their axes. Arrow keys move between lines in order of the last axis; Enter selects
 * a line.
 */
export function ParallelLines(props: LinesProps) {
  const { names, axes, color, cells, colorCells, conditions, selected, onSelect } = props;
  const { view } = useWorld();
  const { listed } = useContents();
  const theme = useTheme();
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const { drawn, lines, slot, coloring, colorOf, gray, inside, outside, order } = useDrawnLines(props, width);
  const ranges = axes.map((column) => rangeOf(conditions.get(rangeKey(column) ?? '')));
  const setRange = (axis: number, range: AxisRange): void => {
    const key = rangeKey(axes[axis]!);
    if (key !== undefined) changeView(view, { where: writeConditions(new Map([...conditions, [key, conditionOf(range)]])) });
  };
  const reading = usePlotReading({ order, runOf: (line) => names[line]!, keys: ['ArrowDown', 'ArrowUp'], selected, onSelect });
  const { at, byKey } = reading;
  const { brush, cancel, handlers } = useAxisBrush(place, {
    axes: lines.x,
    canBrush: (axis) => rangeKey(axes[axis]!) !== undefined,
    start: reading.clear,
    move: (pointer) => {
      const line = nearestLine(lines, inside, pointer.x, pointer.y, reach);
      // When a menu above the plot closes, the browser sends a pointer event without a movement
      if (line >= 0 || !byKey) reading.read(line, pointer);
    },
    drag: ({ axis, from, to }) => setRange(axis, rangeBetween(drawn[axis]!, cells[axis]!, placeAt(from), placeAt(to), 1 / (bottom - top))),
    click: ({ x, y }, axis) => {
      if (axis !== null && ranges[axis]) setRange(axis, everything);
      else reading.toggle(nearestLine(lines, inside, x, y, reach));
    },
  });
  const onKey = (key: string): boolean => {
    if (key !== 'Escape' || !brush) return reading.onKey(key);
    cancel();
    return true;
  };
  const pathOf = (line: number): string => `M${lines.x.map((x, i) => `${x} ${lines.y[line * axes.length + i]}`).join('L')}`;
  const readAt = at < 0 ? null : (reading.pointer ?? { x: lines.x.at(-1)!, y: lines.y[at * axes.length + axes.length - 1]! });
  // Keeps all lines of the tooltip inside the plot
  const lowest = height - rowHeight * (axes.length + 3);
  const read = [...axes, ...(color && !axes.includes(color) ? [color] : [])];
  return (
    <>
      <div className="parallel-scroll">
        <div style={{ minWidth: axes.length * minGap }}>
          <div className="parallel-heads">
            {width > 0 &&
              axes.map((column, i) => (
                <div key={column.key} style={{ left: lines.x[i]! - slot / 2, width: slot }}>
                  <AxisMenu column={column} axis={drawn[i]!} range={ranges[i]!} onRange={(range) => setRange(i, range)} />
                </div>
              ))}
          </div>
          <ReadablePlot
            element={place}
            className="scatter-plot parallel-plot"
            kind="parallel coordinates"
            label={`${axes.map(({ name }) => visibleText(name)).join(', ')}: ${countText(inside.length, 'run')}. Use the arrow keys to read them in order of the last axis, Enter to select.`}
            onKey={onKey}
            onLeave={() => byKey && reading.clear()}
            onPointerLeave={() => !byKey && reading.clear()}
            {...handlers}
          >
            {width > 0 && (
              <>
                <Canvases names={names} selected={selected} drawing={{ lines, colorOf, gray, inside, outside }} width={width} />
                <svg width={width} height={height} aria-hidden="true">
                  {at >= 0 && <path className="line" d={pathOf(at)} stroke={colorOf(at)} />}
                  {at < 0 && <PointedLine names={names} among={listed} pathOf={pathOf} colorOf={colorOf} />}
                  <g className="axes">
                    {axes.map((column, i) => (
                      <DrawnAxis key={column.key} column={column} axis={drawn[i]!} x={lines.x[i]!} range={ranges[i]!} />
                    ))}
                  </g>
                  {brush && (
                    <RangeMark x={lines.x[brush.axis]!} low={Math.max(brush.from, brush.to)} high={Math.min(brush.from, brush.to)} />
                  )}
                </svg>
                {axes.map(
                  (column, i) =>
                    rangeKey(column) !== undefined && <div key={column.key} className="axis-reach" style={{ left: lines.x[i]! }} />,
                )}
              </>
            )}
            <PlotReading
              at={readAt && { x: readAt.x, y: Math.min(readAt.y, lowest) }}
              width={width}
              isSpoken={byKey}
              run={at < 0 ? null : names[at]!}
              values={read.map((column, i) => ({ column, cell: (cells[i] ?? colorCells)?.[at] ?? null }))}
            />
          </ReadablePlot>
        </div>
      </div>
      <div className="scatter-foot">
        <p className="dim" role="status">
          {outside.length > 0 && `${formatCount(inside.length)} of `}
          {countText(names.length, 'run')}
          {ranges.every((range) => range === null) && ' · Drag along an axis to filter'}
        </p>
        {color && <ColorLegend coloring={coloring} column={color} theme={theme} />}
      </div>
    </>
  );
}

const everything: AxisRange = { kind: 'bounds', low: null, high: null };

interface CanvasesProps {
  readonly names: readonly string[];
  readonly selected: ReadonlySet<string>;
  readonly drawing: Pick<ReturnType<typeof useDrawnLines>, 'lines' | 'colorOf' | 'gray' | 'inside' | 'outside'>;
  readonly width: number;
}

/** The lines of runs outside the table, of runs in the table, and of selected runs. */
function Canvases({ names, selected, drawing: { lines, colorOf, gray, inside, outside }, width }: CanvasesProps) {
  const size = useMemo(() => ({ width, height }), [width]);
  const chosen = useMemo(() => inside.filter((i) => selected.has(names[i]!)), [inside, selected, names]);
  return (
    <>
      <LinesCanvas size={size} lines={lines} index={outside} colorOf={gray} alpha={alphaOf(outside.length) / 3} width={1} />
      <LinesCanvas
        className="lines"
        size={size}
        lines={lines}
        index={inside}
        colorOf={colorOf}
        alpha={alphaOf(inside.length)}
        width={1.5}
      />
      <LinesCanvas size={size} lines={lines} index={chosen} colorOf={colorOf} alpha={1} width={3} />
    </>
  );
}

interface PointedLineProps {
  readonly names: readonly string[];
  readonly among: ReadonlySet<string>;
  readonly pathOf: (line: number) => string;
  readonly colorOf: (line: number) => string;
}

/** The line of the run to which the pointer points in the table. */
function PointedLine({ names, among, pathOf, colorOf }: PointedLineProps) {
  const { hover } = useWorld();
  const run = useStore(hover, (at) => at.run);
  const line = run === null || !among.has(run) ? -1 : names.indexOf(run);
  return line < 0 ? null : <path className="line" d={pathOf(line)} stroke={colorOf(line)} />;
}
