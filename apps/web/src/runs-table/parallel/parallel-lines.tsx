import { Fragment, type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { countText, formatCount, visibleText } from '#charts';
import { useStore } from '../../app/store.ts';
import { useTheme } from '../../app/theme.ts';
import { runText } from '../../compare/compared-run.ts';
import { useWidth } from '../../data/use-width.ts';
import { changeView } from '../../experiment/change-view.ts';
import { useContents, useView, useWorld } from '../../experiment/experiment-context.ts';
import { type Cell, writeConditions } from '../../runs/conditions.ts';
import { cellText, cellTitle } from '../cell-text.ts';
import { ColorLegend } from '../scatter/color-legend.tsx';
import { cut, numbersOf } from '../scatter/plot-columns.ts';
import { PlotReading } from '../scatter/plot-reading.tsx';
import { coloringOf, grayOf } from '../scatter/scatter-colors.ts';
import { useSharedReading } from '../scatter/use-shared-reading.ts';
import type { RunColumn } from '../table-columns.ts';
import { AxisMenu } from './axis-menu.tsx';
import { type AxisRange, conditionOf, rangeBetween, rangeOf } from './axis-range.ts';
import { alphaOf, nearestLine, type ParallelLines as Lines } from './draw-parallel.ts';
import { LinesCanvas } from './lines-canvas.tsx';
import { type ParallelAxis, parallelAxis } from './parallel-axis.ts';
import { rangeKey } from './parallel-columns.ts';

const height = 300;
/** The ends of the axes, in pixels from the top. */
const top = 10;
const bottom = 264;
/** Where lines without a place on an axis cross it. */
const offAxis = 286;
/** The height of a line of the reading. */
const rowHeight = 19;
/** The least distance of two axes; narrower pages scroll. */
const leastGap = 96;
/** The most space beside the outermost axes. */
const mostPadding = 100;
/** Pixels from the pointer within which a line is read. */
const reach = 10;
/** Pixels from an axis within which a drag selects a range: with a mouse, and with a finger. */
const axisReach = { fine: 14, coarse: 20 } as const;
/** A press that moves less is a click. */
const leastDrag = 4;
/** Ticks of an axis: of numbers, and of values. */
const mostTicks = { numbers: 6, values: 14 } as const;

interface LinesProps {
  /** The runs, by their names on the page. */
  readonly names: readonly string[];
  readonly axes: readonly RunColumn[];
  readonly color: RunColumn | null;
  /** For each axis, a cell for each run. */
  readonly cells: readonly (readonly Cell[])[];
  readonly colorCells: readonly Cell[] | null;
  /** Those of the table, by the keys of {@link rangeKey}. */
  readonly conditions: ReadonlyMap<string, string>;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (runs: ReadonlySet<string>) => void;
}

/** The run that is read. */
interface Reading {
  readonly run: string;
  /** In pixels of the plot; null: keys selected it. */
  readonly pointer: { readonly x: number; readonly y: number } | null;
}

/** A range that is being dragged. */
interface Brush {
  readonly axis: number;
  readonly from: number;
  readonly to: number;
}

/** The lines with their axes. Arrow keys read them in order of the last axis; Enter selects. */
export function ParallelLines({ names, axes, color, cells, colorCells, conditions, selected, onSelect }: LinesProps) {
  const { view } = useWorld();
  const { listed } = useContents();
  const theme = useTheme();
  const scales = useView((one) => one.plotAxisScales);
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const size = useMemo(() => ({ width, height }), [width]);
  const drawn = useMemo(
    () => axes.map((column, i) => parallelAxis(cells[i]!, scales.find(({ key }) => key === column.key)?.kind, numbersOf(column))),
    [axes, cells, scales],
  );
  const { lines, slot } = useMemo(() => layout(drawn, cells, names.length, width), [drawn, cells, names, width]);
  const coloring = useMemo(() => coloringOf(colorCells, theme), [colorCells, theme]);
  const colorOf = useMemo(() => (line: number) => coloring.colors[coloring.indexOf(colorCells?.[line] ?? null)]!, [coloring, colorCells]);
  const gray = useMemo(() => () => grayOf(theme), [theme]);
  const { inside, outside } = useMemo(() => {
    const all = Array.from(names, (_, i) => i);
    return { inside: all.filter((i) => listed.has(names[i]!)), outside: all.filter((i) => !listed.has(names[i]!)) };
  }, [names, listed]);
  const chosen = useMemo(() => inside.filter((i) => selected.has(names[i]!)), [inside, selected, names]);
  const order = useMemo(() => {
    const last = axes.length - 1;
    return inside.toSorted((a, b) => lines.y[a * axes.length + last]! - lines.y[b * axes.length + last]!);
  }, [inside, lines, axes]);
  const ranges = axes.map((column) => rangeOf(conditions.get(rangeKey(column) ?? '')));
  const setRange = (axis: number, range: AxisRange): void => {
    const key = rangeKey(axes[axis]!);
    if (key !== undefined) changeView(view, { where: writeConditions(new Map([...conditions, [key, conditionOf(range)]])) });
  };

  const [reading, setReading] = useState<Reading | null>(null);
  const at = reading === null ? -1 : (inside.find((i) => names[i] === reading.run) ?? -1);
  const byKey = reading !== null && reading.pointer === null;
  const read = (line: number, pointer: Reading['pointer']): void => {
    if (line >= 0) setReading({ run: names[line]!, pointer });
    // A menu that closes above the plot sends the pointer here, which then does not move
    else if (pointer === null || !byKey) setReading(null);
  };
  useSharedReading(at < 0 ? null : names[at]!);
  const toggle = (line: number): void => {
    if (line < 0) return;
    const next = new Set(selected);
    if (!next.delete(names[line]!)) next.add(names[line]!);
    onSelect(next);
  };

  const [brush, setBrush] = useState<Brush | null>(null);
  const isPressed = useRef(false);
  const positionOf = ({ clientX, clientY }: PointerEvent): readonly [number, number] => {
    const box = place.current!.getBoundingClientRect();
    return [clientX - box.left, clientY - box.top];
  };
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    isPressed.current = true;
    const [x, y] = positionOf(event);
    // Between the axes, a finger scrolls the page
    const most = event.pointerType === 'touch' ? axisReach.coarse : axisReach.fine;
    const axis = lines.x.findIndex((one) => Math.abs(one - x) <= most);
    if (axis < 0 || rangeKey(axes[axis]!) === undefined) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setBrush({ axis, from: y, to: y });
    setReading(null);
  };
  const onPointerMove = (event: PointerEvent): void => {
    const [x, y] = positionOf(event);
    if (brush) setBrush({ ...brush, to: y });
    else read(nearestLine(lines, inside, x, y, reach), { x, y });
  };
  const onPointerUp = (event: PointerEvent): void => {
    if (!isPressed.current) return;
    isPressed.current = false;
    const [x, y] = positionOf(event);
    if (brush && Math.abs(y - brush.from) >= leastDrag) {
      const range = rangeBetween(drawn[brush.axis]!, cells[brush.axis]!, placeAt(brush.from), placeAt(y), 1 / (bottom - top));
      setRange(brush.axis, range);
    } else if (brush && ranges[brush.axis]) setRange(brush.axis, everything);
    else toggle(nearestLine(lines, inside, x, y, reach));
    setBrush(null);
  };
  const onPointerCancel = (): void => {
    isPressed.current = false;
    setBrush(null);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const now = order.indexOf(at);
    const next = { ArrowDown: now + 1, ArrowUp: now < 0 ? order.length - 1 : now - 1, Home: 0, End: order.length - 1 }[event.key];
    if (next !== undefined) read(order[Math.max(0, Math.min(order.length - 1, next))] ?? -1, null);
    else if (event.key === 'Enter' && at >= 0) toggle(at);
    else if (event.key === 'Escape' && brush) onPointerCancel();
    else if (event.key === 'Escape' && reading) setReading(null);
    else return;
    event.preventDefault();
  };

  const pathOf = (line: number): string => `M${lines.x.map((x, i) => `${x} ${lines.y[line * axes.length + i]}`).join('L')}`;
  const readAt = at < 0 ? null : (reading?.pointer ?? { x: lines.x.at(-1)!, y: lines.y[at * axes.length + axes.length - 1]! });
  // All of its lines are in the plot
  const lowest = height - rowHeight * (axes.length + 3);
  return (
    <>
      <div className="parallel-scroll">
        <div style={{ minWidth: axes.length * leastGap }}>
          <div className="parallel-heads">
            {width > 0 &&
              axes.map((column, i) => (
                <div key={column.key} style={{ left: lines.x[i]! - slot / 2, width: slot }}>
                  <AxisMenu column={column} axis={drawn[i]!} range={ranges[i]!} onRange={(range) => setRange(i, range)} />
                </div>
              ))}
          </div>
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- an application is a widget */}
          <div
            ref={place}
            className="scatter-plot parallel-plot"
            // As charts are: then screen readers pass the arrow keys on
            role="application"
            aria-roledescription="parallel coordinates"
            aria-label={`${axes.map(({ name }) => visibleText(name)).join(', ')}: ${countText(inside.length, 'run')}. Arrow keys read them in order of the last axis, Enter selects.`}
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- an application is a widget
            tabIndex={0}
            onKeyDown={onKeyDown}
            onBlur={() => byKey && setReading(null)}
            onPointerDown={onPointerDown}
            onPointerMove={onPointerMove}
            onPointerUp={onPointerUp}
            onPointerCancel={onPointerCancel}
            onPointerLeave={() => !byKey && setReading(null)}
          >
            {width > 0 && (
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
                <svg width={width} height={height} aria-hidden="true">
                  {at >= 0 && <path className="line" d={pathOf(at)} stroke={colorOf(at)} />}
                  {at < 0 && <PointedLine names={names} among={listed} pathOf={pathOf} colorOf={colorOf} />}
                  <g className="axes">
                    {axes.map((column, i) => (
                      <Axis key={column.key} column={column} axis={drawn[i]!} x={lines.x[i]!} range={ranges[i]!} />
                    ))}
                  </g>
                  {brush && (
                    <rect
                      className="brush"
                      x={lines.x[brush.axis]! - 6}
                      y={clamped(Math.min(brush.from, brush.to))}
                      width={12}
                      height={clamped(Math.max(brush.from, brush.to)) - clamped(Math.min(brush.from, brush.to))}
                    />
                  )}
                </svg>
                {axes.map(
                  (column, i) =>
                    rangeKey(column) !== undefined && <div key={column.key} className="axis-reach" style={{ left: lines.x[i]! }} />,
                )}
              </>
            )}
            <PlotReading at={readAt && { x: readAt.x, y: Math.min(readAt.y, lowest) }} width={width} isSpoken={byKey}>
              {at >= 0 && (
                <>
                  <b>{runText(names[at]!)}</b>
                  {[...axes, ...(color && !axes.includes(color) ? [color] : [])].map((column, i) => {
                    const cell = (cells[i] ?? colorCells)?.[at] ?? null;
                    return (
                      <span key={column.key}>
                        {visibleText(column.name)} {cellTitle(column, cell, noCells) ?? cellText(column, cell)}
                      </span>
                    );
                  })}
                </>
              )}
            </PlotReading>
          </div>
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

interface PointedLineProps {
  readonly names: readonly string[];
  readonly among: ReadonlySet<string>;
  readonly pathOf: (line: number) => string;
  readonly colorOf: (line: number) => string;
}

/** The line of the run at the pointer in the table. */
function PointedLine({ names, among, pathOf, colorOf }: PointedLineProps) {
  const { hover } = useWorld();
  const run = useStore(hover, (at) => at.run);
  const line = run === null || !among.has(run) ? -1 : names.indexOf(run);
  return line < 0 ? null : <path className="line" d={pathOf(line)} stroke={colorOf(line)} />;
}

const noCells: ReadonlyMap<string, Cell> = new Map();
const everything: AxisRange = { kind: 'bounds', low: null, high: null };

/** Pixels from the top of the plot. */
function down(part: number): number {
  return Math.round(10 * (bottom - part * (bottom - top))) / 10;
}

/** The place on an axis of pixels from the top. */
function placeAt(y: number): number {
  return (bottom - y) / (bottom - top);
}

function clamped(y: number): number {
  return Math.max(top, Math.min(bottom, y));
}

/** Where lines cross the axes. `slot`: the width of the name of an axis. */
function layout(
  axes: readonly ParallelAxis[],
  cells: readonly (readonly Cell[])[],
  count: number,
  width: number,
): { readonly lines: Lines; readonly slot: number } {
  const padding = Math.min(width / axes.length / 2, mostPadding);
  const gap = axes.length < 2 ? 0 : (width - 2 * padding) / (axes.length - 1);
  const x = axes.map((_, i) => Math.round(axes.length < 2 ? width / 2 : padding + i * gap));
  const y = new Float32Array(count * axes.length);
  for (const [i, axis] of axes.entries())
    for (let line = 0; line < count; line++) {
      const part = axis.placeOf(cells[i]![line]!);
      y[line * axes.length + i] = Number.isNaN(part) ? offAxis : down(part);
    }
  return { lines: { x, y, count }, slot: Math.max(0, Math.floor(2 * padding) - 4) };
}

interface AxisProps {
  readonly column: RunColumn;
  readonly axis: ParallelAxis;
  readonly x: number;
  readonly range: AxisRange | null;
}

/** An axis with its ticks and its range. */
function Axis({ column, axis, x, range }: AxisProps) {
  const ticks = axis.ticks(axis.scale ? mostTicks.numbers : mostTicks.values, (cell) => cut(cellText(column, cell), 12));
  return (
    <>
      <path className="axis" d={`M${x} ${top}V${bottom}`} />
      {range &&
        spansOf(axis, range).map(([low, high]) => (
          <rect key={low} className="brush" x={x - 6} y={clamped(high)} width={12} height={Math.max(3, clamped(low) - clamped(high))} />
        ))}
      {ticks.map(({ label, place }) => (
        <Fragment key={place}>
          <path className="axis" d={`M${x} ${down(place)}h-4`} />
          <text x={x - 8} y={down(place) + 4} textAnchor="end">
            {label}
          </text>
        </Fragment>
      ))}
      {axis.hasMissing && (
        <text x={x - 8} y={offAxis + 4} textAnchor="end">
          no value
        </text>
      )}
    </>
  );
}

/**
 * The parts of an axis that a range selects, in pixels from the top: its lower and its upper end.
 */
function spansOf(axis: ParallelAxis, range: AxisRange): (readonly [number, number])[] {
  if (range.kind === 'bounds') {
    if (!axis.scale) return [];
    const [low, high] = [axis.placeOf(range.low), axis.placeOf(range.high)];
    return [[down(Number.isNaN(low) ? 0 : low), down(Number.isNaN(high) ? 1 : high)]];
  }
  const half = axis.scale ? 0 : 0.4 / axis.values.length;
  return range.values.flatMap((value) => {
    const part = axis.placeOf(value);
    return Number.isNaN(part) ? [] : [[down(part - half), down(part + half)] as const];
  });
}
