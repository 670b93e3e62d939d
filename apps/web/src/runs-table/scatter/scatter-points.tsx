import { type KeyboardEvent, type PointerEvent, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { countText, formatCount, leftInset, type ScaleKind, visibleText } from '#charts';
import { useStore } from '../../app/store.ts';
import { useTheme } from '../../app/theme.ts';
import { runText } from '../../compare/compared-run.ts';
import { type PlotBox, SvgAxes } from '../../data/svg-axes.tsx';
import { useWidth } from '../../data/use-width.ts';
import { useWorld } from '../../experiment/experiment-context.ts';
import type { Cell } from '../../runs/conditions.ts';
import { cellText, cellTitle } from '../cell-text.ts';
import type { RunColumn } from '../table-columns.ts';
import { ColorLegend } from './color-legend.tsx';
import { drawScatter, nearestPoint, radiusOf } from './draw-scatter.ts';
import { cut, labelLength, numbersOf } from './plot-columns.ts';
import { PlotReading } from './plot-reading.tsx';
import { axisOf, type ScatterAxis } from './scatter-axis.ts';
import { coloringOf } from './scatter-colors.ts';
import { boxOf, rankCorrelation } from './scatter-stats.ts';
import { useSharedReading } from './use-shared-reading.ts';

const height = 300;
/** Pixels from the pointer within which a point is read. */
const reach = 16;
/** A press that moves less is a click. */
const leastDrag = 5;
/** Boxes of more values would be too narrow. */
const mostBoxes = 20;

interface PointsProps {
  /** The runs, by their names on the page. */
  readonly names: readonly string[];
  readonly columns: { readonly x: RunColumn; readonly y: RunColumn; readonly color: RunColumn | null };
  /** A cell for each run. */
  readonly cells: { readonly x: readonly Cell[]; readonly y: readonly Cell[]; readonly color: readonly Cell[] | null };
  readonly kinds: { readonly x: ScaleKind; readonly y: ScaleKind };
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (runs: ReadonlySet<string>) => void;
}

interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The points with their axes. Arrow keys read them in order of x; Enter selects. */
export function ScatterPoints({ names, columns, cells, kinds, selected, onSelect }: PointsProps) {
  const { hover } = useWorld();
  const theme = useTheme();
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(place);
  const { x: xColumn, y: yColumn } = columns;
  const xAxis = useMemo(() => axisOf(cells.x, kinds.x, numbersOf(xColumn)), [cells.x, kinds.x, xColumn]);
  const yAxis = useMemo(() => axisOf(cells.y, kinds.y, numbersOf(yColumn)), [cells.y, kinds.y, yColumn]);
  const coloring = useMemo(() => coloringOf(cells.color, theme), [cells.color, theme]);
  const yTicks = useMemo(() => yAxis.ticks(7, (cell) => cut(cellText(yColumn, cell))), [yAxis, yColumn]);
  const box = useMemo((): PlotBox => {
    const left = leftInset(yTicks.map(({ label }) => label));
    return { left, top: 12, width: Math.max(1, width - left - 16), height: height - 52 };
  }, [yTicks, width]);
  const { index, points } = useMemo(() => {
    const drawn: number[] = [];
    const [xs, ys]: [number[], number[]] = [[], []];
    for (let i = 0; i < names.length; i++) {
      const [atX, atY] = [xAxis.placeOf(cells.x[i]!), yAxis.placeOf(cells.y[i]!)];
      if (Number.isNaN(atX) || Number.isNaN(atY)) continue;
      drawn.push(i);
      xs.push(box.left + (atX + spreadOf(xAxis, i)) * box.width);
      ys.push(box.top + (1 - atY - spreadOf(yAxis, i + 1)) * box.height);
    }
    return {
      index: drawn,
      points: {
        x: Float32Array.from(xs),
        y: Float32Array.from(ys),
        color: Uint8Array.from(drawn, (i) => coloring.indexOf(cells.color?.[i] ?? null)),
        selected: Uint8Array.from(drawn, (i) => Number(selected.has(names[i]!))),
        colors: coloring.colors,
      },
    };
  }, [names, cells, xAxis, yAxis, coloring, box, selected]);
  useLayoutEffect(() => {
    if (!canvas.current || width === 0) return;
    const ratio = devicePixelRatio;
    Object.assign(canvas.current, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    drawScatter(canvas.current, box, points, ratio);
  }, [points, box, width]);
  const order = useMemo(() => Array.from(points.x, (_, i) => i).sort((a, b) => points.x[a]! - points.x[b]!), [points]);
  const [reading, setReading] = useState<{ readonly run: string; readonly byKey: boolean } | null>(null);
  const at = reading === null ? -1 : index.findIndex((i) => names[i] === reading.run);
  const read = (point: number, byKey: boolean): void => setReading(point < 0 ? null : { run: names[index[point]!]!, byKey });
  useSharedReading(at < 0 ? null : names[index[at]!]!);
  const pointed = useStore(hover, ({ run }) => run);
  const ring = at >= 0 ? at : pointed === null ? -1 : index.findIndex((i) => names[i] === pointed);
  const toggle = (point: number): void => {
    if (point < 0) return;
    const run = names[index[point]!]!;
    const next = new Set(selected);
    if (!next.delete(run)) next.add(run);
    onSelect(next);
  };
  const pointer = usePointer(place, {
    move: ([x, y]) => read(nearestPoint(points, x, y, reach), false),
    leave: () => setReading(null),
    click: ([x, y]) => toggle(nearestPoint(points, x, y, reach)),
    drag: ({ left, top, right, bottom }, isMore) => {
      const inside = index.filter((_, i) => points.x[i]! >= left && points.x[i]! <= right && points.y[i]! >= top && points.y[i]! <= bottom);
      onSelect(new Set([...(isMore ? selected : []), ...inside.map((i) => names[i]!)]));
    },
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const now = order.indexOf(at);
    const next = { ArrowRight: now + 1, ArrowLeft: now < 0 ? order.length - 1 : now - 1, Home: 0, End: order.length - 1 }[event.key];
    if (next !== undefined) read(order[Math.max(0, Math.min(order.length - 1, next))] ?? -1, true);
    else if (event.key === 'Enter' && at >= 0) toggle(at);
    else if (event.key === 'Escape' && reading) setReading(null);
    else return;
    event.preventDefault();
  };
  const correlation = useMemo(() => {
    if (!xAxis.scale || !yAxis.scale) return null;
    return rankCorrelation(index.map((i) => [Number(cells.x[i]), Number(cells.y[i])] as const));
  }, [index, cells, xAxis, yAxis]);
  const title = `${visibleText(yColumn.name)} over ${visibleText(xColumn.name)}`;
  const left = names.length - index.length;
  const most = xAxis.scale ? Math.max(2, Math.floor(box.width / 90)) : Math.max(1, Math.floor(box.width / (8 * labelLength)));
  const across = (part: number): number => Math.round(10 * (box.left + part * box.width)) / 10;
  const down = (part: number): number => Math.round(10 * (box.top + (1 - part) * box.height)) / 10;
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- an application is a widget */}
      <div
        ref={place}
        className="scatter-plot"
        // The same role as charts: screen readers then pass the arrow keys on
        role="application"
        aria-roledescription="scatter plot"
        aria-label={`${title}: ${countText(index.length, 'run')}. Arrow keys read them in order of x, Enter selects.`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- an application is a widget
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => reading?.byKey && setReading(null)}
        {...pointer.handlers}
      >
        {width > 0 && (
          <>
            <svg width={width} height={height} aria-hidden="true">
              <SvgAxes
                box={box}
                x={xAxis.ticks(most, (cell) => cut(cellText(xColumn, cell))).map((tick) => ({ ...tick, at: across(tick.place) }))}
                y={yTicks.map((tick) => ({ ...tick, at: down(tick.place) }))}
              />
            </svg>
            <canvas ref={canvas} style={{ width, height }} />
            <svg width={width} height={height} aria-hidden="true">
              <Boxes cells={cells} axes={{ x: xAxis, y: yAxis }} across={across} down={down} />
              <text className="axis-name" x={box.left + box.width} y={height - 6} textAnchor="end">
                {cut(visibleText(xColumn.name), 60)} →
              </text>
              <text className="axis-name" x={box.left + 6} y={box.top + 8}>
                {cut(visibleText(yColumn.name), 60)} ↑
              </text>
              {ring >= 0 && <circle className="read" cx={points.x[ring]} cy={points.y[ring]} r={radiusOf(index.length) + 3} />}
              {pointer.box && (
                <rect
                  className="brush"
                  x={pointer.box.left}
                  y={pointer.box.top}
                  width={pointer.box.right - pointer.box.left}
                  height={pointer.box.bottom - pointer.box.top}
                />
              )}
            </svg>
          </>
        )}
        <PlotReading at={at < 0 ? null : { x: points.x[at]!, y: points.y[at]! }} width={width} isSpoken={reading?.byKey === true}>
          {at >= 0 && (
            <>
              <b>{runText(names[index[at]!]!)}</b>
              {[xColumn, yColumn, ...(columns.color ? [columns.color] : [])].map((column, i) => {
                const cell = [cells.x, cells.y, cells.color][i]![index[at]!]!;
                return (
                  <span key={i}>
                    {visibleText(column.name)} {cellTitle(column, cell, noCells) ?? cellText(column, cell)}
                  </span>
                );
              })}
            </>
          )}
        </PlotReading>
      </div>
      <div className="scatter-foot">
        <p className="dim" role="status">
          {formatCount(index.length)} {index.length === 1 ? 'run' : 'runs'}
          {left > 0 && ` · ${formatCount(left)} without a place on these axes`}
          {correlation &&
            ` · rank correlation ${rounded(correlation.rho)} (Spearman; 95 %: ${rounded(correlation.low)} to ${rounded(correlation.high)})`}
        </p>
        {columns.color && <ColorLegend coloring={coloring} column={columns.color} theme={theme} />}
      </div>
    </>
  );
}

const noCells: ReadonlyMap<string, Cell> = new Map();

/** Points with the same value lie beside one another; always the same way for a run. */
function spreadOf({ scale, values }: ScatterAxis, i: number): number {
  return scale ? 0 : ((((i * 0.618034) % 1) - 0.5) * 0.6) / values.length;
}

function rounded(value: number): string {
  return value
    .toFixed(2)
    .replace(/^-(?!0\.00$)/, '−')
    .replace('-', '');
}

interface BoxesProps {
  readonly cells: PointsProps['cells'];
  readonly axes: { readonly x: ScatterAxis; readonly y: ScatterAxis };
  readonly across: (part: number) => number;
  readonly down: (part: number) => number;
}

/** Numbers over values that are no numbers: a box plot for each value. */
function Boxes({ cells, axes, across, down }: BoxesProps) {
  const { x, y } = axes;
  const boxes = useMemo(() => {
    if (x.scale || !y.scale || x.values.length > mostBoxes) return [];
    return x.values.flatMap((value) => {
      const numbers = cells.y.filter((cell, i) => cells.x[i] === value && !Number.isNaN(y.placeOf(cell))).map(Number);
      const found = boxOf(numbers);
      return found === null ? [] : [{ value, ...found }];
    });
  }, [cells, x, y]);
  const half = 0.36 / Math.max(1, x.values.length);
  return boxes.map(({ value, low, q1, median, q3, high, count }) => {
    const place = x.placeOf(value);
    const [from, middle, to] = [across(place - half), across(place), across(place + half)];
    const [bottom, lower, center, upper, top] = [low, q1, median, q3, high].map((one) => down(y.placeOf(one))) as [
      number,
      number,
      number,
      number,
      number,
    ];
    return (
      <path
        key={`${typeof value} ${value}`}
        className="box"
        data-box={JSON.stringify({ value, low, q1, median, q3, high, count })}
        d={`M${middle} ${top}V${upper}M${middle} ${lower}V${bottom}M${from} ${upper}H${to}V${lower}H${from}ZM${from} ${center}H${to}`}
      />
    );
  });
}

type Position = readonly [x: number, y: number];

interface PointerActions {
  readonly move: (at: Position) => void;
  readonly leave: () => void;
  readonly click: (at: Position) => void;
  /** `isMore`: in addition to what is selected. */
  readonly drag: (box: Rectangle, isMore: boolean) => void;
}

/** Tells clicks from dragged boxes, in pixels of the element. */
function usePointer(element: RefObject<HTMLElement | null>, actions: PointerActions) {
  const start = useRef<Position | null>(null);
  const [box, setBox] = useState<Rectangle | null>(null);
  const positionOf = ({ clientX, clientY }: PointerEvent): Position => {
    const { left, top } = element.current!.getBoundingClientRect();
    return [clientX - left, clientY - top];
  };
  const boxTo = ([x, y]: Position): Rectangle | null => {
    if (!start.current) return null;
    const [fromX, fromY] = start.current;
    if (Math.hypot(x - fromX, y - fromY) < leastDrag) return null;
    return { left: Math.min(x, fromX), right: Math.max(x, fromX), top: Math.min(y, fromY), bottom: Math.max(y, fromY) };
  };
  const end = (): void => {
    start.current = null;
    setBox(null);
  };
  return {
    box,
    handlers: {
      onPointerDown: (event: PointerEvent): void => {
        if (event.button !== 0) return;
        start.current = positionOf(event);
        if (event.pointerType === 'mouse') event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove: (event: PointerEvent): void => {
        const position = positionOf(event);
        setBox(boxTo(position));
        actions.move(position);
      },
      onPointerUp: (event: PointerEvent): void => {
        if (!start.current) return;
        const dragged = boxTo(positionOf(event));
        if (dragged) actions.drag(dragged, event.shiftKey);
        else actions.click(positionOf(event));
        end();
      },
      onPointerCancel: end,
      onPointerLeave: (): void => {
        end();
        actions.leave();
      },
    },
  };
}
