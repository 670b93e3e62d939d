import { useLayoutEffect, useMemo, useRef } from 'react';
import { countText, formatCount, visibleText } from '#charts';
import { useStore } from '../../app/store.ts';
import { useTheme } from '../../app/theme.ts';
import { type PlotBox, SvgAxes } from '../../data/svg-axes.tsx';
import { useWidth } from '../../data/use-width.ts';
import { useWorld } from '../../experiment/experiment-context.ts';
import { ReadablePlot } from '../../plot/readable-plot.tsx';
import { cellText } from '../cell-text.ts';
import { ColorLegend } from './color-legend.tsx';
import { drawScatter, nearestPoint, radiusOf, type ScatterPoints as Points } from './draw-scatter.ts';
import { cut, labelLength } from './plot-columns.ts';
import { PlotReading } from './plot-reading.tsx';
import { rankCorrelation } from './scatter-stats.ts';
import { useDraggedBox } from './use-dragged-box.ts';
import { height, type PointsData, useDrawnPoints } from './use-drawn-points.ts';
import { usePlotReading } from './use-plot-reading.ts';
import { ValueBoxes } from './value-boxes.tsx';

/** A point is read if the pointer is within this many pixels. */
const reach = 16;

interface PointsProps extends PointsData {
  readonly onSelect: (runs: ReadonlySet<string>) => void;
}

/**
 * The points with their axes. Arrow keys move between points in order of x; Enter selects a point.
 */
export function ScatterPoints(props: PointsProps) {
  const { names, columns, cells, selected, onSelect } = props;
  const { hover } = useWorld();
  const theme = useTheme();
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const { x: xColumn, y: yColumn } = columns;
  const { xAxis, yAxis, yTicks, coloring, box, index, points, order } = useDrawnPoints(props, width);
  const runOf = (point: number): string => names[index[point]!]!;
  const reading = usePlotReading({ order, runOf, keys: ['ArrowRight', 'ArrowLeft'], selected, onSelect });
  const { at, byKey } = reading;
  const pointed = useStore(hover, ({ run }) => run);
  const ring = at >= 0 ? at : pointed === null ? -1 : index.findIndex((i) => names[i] === pointed);
  const pointer = useDraggedBox(place, {
    move: ({ x, y }) => reading.read(nearestPoint(points, x, y, reach), { x, y }),
    leave: reading.clear,
    click: ({ x, y }) => reading.toggle(nearestPoint(points, x, y, reach)),
    drag: ({ left, top, right, bottom }, isMore) => {
      const inside = index.filter((_, i) => points.x[i]! >= left && points.x[i]! <= right && points.y[i]! >= top && points.y[i]! <= bottom);
      onSelect(new Set([...(isMore ? selected : []), ...inside.map((i) => names[i]!)]));
    },
  });
  const correlation = useMemo(() => {
    if (!xAxis.scale || !yAxis.scale) return null;
    return rankCorrelation(index.map((i) => [Number(cells.x[i]), Number(cells.y[i])] as const));
  }, [index, cells, xAxis, yAxis]);
  const read = [
    { column: xColumn, of: cells.x },
    { column: yColumn, of: cells.y },
    ...(columns.color ? [{ column: columns.color, of: cells.color }] : []),
  ];
  const title = `${visibleText(yColumn.name)} over ${visibleText(xColumn.name)}`;
  const left = names.length - index.length;
  const max = xAxis.scale ? Math.max(2, Math.floor(box.width / 90)) : Math.max(1, Math.floor(box.width / (8 * labelLength)));
  const across = (part: number): number => Math.round(10 * (box.left + part * box.width)) / 10;
  const down = (part: number): number => Math.round(10 * (box.top + (1 - part) * box.height)) / 10;
  return (
    <>
      <ReadablePlot
        element={place}
        className="scatter-plot"
        kind="scatter plot"
        label={`${title}: ${countText(index.length, 'run')}. Use the arrow keys to read them in order of x, Enter to select.`}
        onKey={reading.onKey}
        onLeave={() => byKey && reading.clear()}
        {...pointer.handlers}
      >
        {width > 0 && (
          <>
            <svg width={width} height={height} aria-hidden="true">
              <SvgAxes
                box={box}
                x={xAxis.ticks(max, (cell) => cut(cellText(xColumn, cell))).map((tick) => ({ ...tick, at: across(tick.place) }))}
                y={yTicks.map((tick) => ({ ...tick, at: down(tick.place) }))}
              />
            </svg>
            <PointsCanvas points={points} box={box} width={width} />
            <svg width={width} height={height} aria-hidden="true">
              <ValueBoxes cells={cells} axes={{ x: xAxis, y: yAxis }} across={across} down={down} />
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
        <PlotReading
          at={at < 0 ? null : { x: points.x[at]!, y: points.y[at]! }}
          width={width}
          isSpoken={byKey}
          run={at < 0 ? null : runOf(at)}
          values={read.map(({ column, of }) => ({ column, cell: of?.[index[at]!] ?? null }))}
        />
      </ReadablePlot>
      <div className="scatter-foot">
        <p className="dim" role="status">
          {formatCount(index.length)} {index.length === 1 ? 'run' : 'runs'}
          {left > 0 && ` · ${formatCount(left)} without a position on these axes`}
          {correlation &&
            ` · rank correlation ${rounded(correlation.rho)} (Spearman; 95 %: ${rounded(correlation.low)} to ${rounded(correlation.high)})`}
        </p>
        {columns.color && <ColorLegend coloring={coloring} column={columns.color} theme={theme} />}
      </div>
    </>
  );
}

interface PointsCanvasProps {
  readonly points: Points;
  readonly box: PlotBox;
  readonly width: number;
}

function PointsCanvas({ points, box, width }: PointsCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const ratio = devicePixelRatio;
    Object.assign(canvas.current!, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    drawScatter(canvas.current!, box, points, ratio);
  }, [points, box, width]);
  return <canvas ref={canvas} style={{ width, height }} />;
}

function rounded(value: number): string {
  return value
    .toFixed(2)
    .replace(/^-(?!0\.00$)/, '−')
    .replace('-', '');
}
