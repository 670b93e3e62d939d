import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { countText, formatCount, formatValue, leftInset, makeScale, palettes, valueTicks } from '#charts';
import { useTheme } from '../../app/theme.ts';
import { useContents } from '../../experiment/experiment-context.ts';
import { indexAfter } from '../../plot/index-after.ts';
import { PlotTooltip } from '../../plot/plot-tooltip.tsx';
import { ReadablePlot } from '../../plot/readable-plot.tsx';
import { usePointer } from '../../plot/use-pointer.ts';
import { drawScatter, nearestPoint, radiusOf } from '../../runs-table/scatter/draw-scatter.ts';
import { type PlotBox, SvgAxes } from '../svg-axes.tsx';
import { useWidth } from '../use-width.ts';
import type { Projection } from './pca.ts';

const height = 360;
const maxWidth = 640;
/** A point is read if the pointer is within this many pixels. */
const reach = 24;

/** The rows of a matrix as points. Both axes have the same scale. */
export function RowPoints({ projection, run }: { readonly projection: Projection; readonly run: string }) {
  const { styles } = useContents();
  const theme = useTheme();
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = Math.min(maxWidth, useWidth(place));
  const [reading, setReading] = useState<{ readonly at: number; readonly byKey: boolean } | null>(null);
  const plot = useMemo(() => layOut(projection, width), [projection, width]);
  const { box, rows, points, x, y } = plot;
  const color = palettes[theme][styles.get(run)?.color ?? 0]!;
  useLayoutEffect(() => {
    if (!canvas.current || width === 0) return;
    const ratio = devicePixelRatio;
    Object.assign(canvas.current, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    const none = new Uint8Array(rows.length);
    drawScatter(canvas.current, box, { ...points, color: none, selected: none, colors: [color] }, ratio);
  }, [box, rows, points, color, width]);
  const at = reading && reading.at < rows.length ? reading.at : -1;
  const pointer = usePointer(place, {
    move: ({ x: across, y: down }) => {
      const found = nearestPoint(points, across, down, reach);
      setReading(found < 0 ? null : { at: found, byKey: false });
    },
    leave: () => setReading(null),
  });
  const onKey = (key: string): boolean => {
    const next = indexAfter(key, { now: at, count: rows.length, next: 'ArrowRight', previous: 'ArrowLeft' });
    if (next !== null) setReading({ at: next, byKey: true });
    else if (key === 'Escape' && reading) setReading(null);
    else return false;
    return true;
  };
  const [first, second] = projection.explained.map((share) => `${(100 * share).toFixed(1)} %`);
  return (
    <>
      <ReadablePlot
        element={place}
        className="row-points"
        kind="scatter plot"
        label={`Rows in the plane of their first two principal components: ${countText(rows.length, 'row')}. Use the arrow keys to read them in order.`}
        onKey={onKey}
        onLeave={() => reading?.byKey && setReading(null)}
        {...pointer}
      >
        {width > 0 && (
          <>
            <svg width={width} height={height} aria-hidden="true">
              <SvgAxes box={box} x={x} y={y} />
            </svg>
            <canvas ref={canvas} style={{ width, height }} />
            <svg width={width} height={height} aria-hidden="true">
              <text className="axis-name" x={box.left + box.width} y={height - 6} textAnchor="end">
                component 1 ({first} of the variance) →
              </text>
              <text className="axis-name" x={box.left + 6} y={box.top + 8}>
                component 2 ({second}) ↑
              </text>
              {at >= 0 && <circle className="read" cx={points.x[at]} cy={points.y[at]} r={radiusOf(rows.length) + 3} />}
            </svg>
          </>
        )}
        <PlotTooltip at={at < 0 ? null : { x: points.x[at]!, y: points.y[at]! }} width={width} isSpoken={reading?.byKey === true}>
          {at >= 0 && (
            <>
              <b>row {formatCount(rows[at]!)}</b>
              <span>component 1: {formatValue(projection.x[rows[at]!]!)}</span>
              <span>component 2: {formatValue(projection.y[rows[at]!]!)}</span>
            </>
          )}
        </PlotTooltip>
      </ReadablePlot>
      {projection.leftOut > 0 && (
        <p className="dim">
          {countText(projection.leftOut, 'row')} with non-finite values {projection.leftOut === 1 ? 'is' : 'are'} omitted.
        </p>
      )}
    </>
  );
}

/** The positions of the points in the drawing, with a 10 % margin. */
function layOut({ x: across, y: along }: Projection, width: number) {
  const rows = Array.from(across.keys()).filter((row) => !Number.isNaN(across[row]!));
  const extentOf = (places: Float64Array) => {
    let [min, max] = [Infinity, -Infinity];
    for (const row of rows) [min, max] = [Math.min(min, places[row]!), Math.max(max, places[row]!)];
    return min <= max ? { middle: (min + max) / 2, half: (max - min) / 2 } : { middle: 0, half: 0 };
  };
  const [horizontal, vertical] = [extentOf(across), extentOf(along)];
  const box = (left: number): PlotBox => ({ left, top: 12, width: Math.max(1, width - left - 16), height: height - 52 });
  const guess = box(72);
  const unit = 1.1 * Math.max(horizontal.half / guess.width, vertical.half / guess.height) || 1;
  const scaleOf = ({ middle }: { readonly middle: number }, pixels: number) =>
    makeScale('linear', middle - unit * pixels, middle + unit * pixels);
  const labels = valueTicks(scaleOf(vertical, guess.height), 5);
  const final = box(leftInset(labels.map(({ label }) => label)));
  const [xScale, yScale] = [scaleOf(horizontal, final.width), scaleOf(vertical, final.height)];
  return {
    box: final,
    rows,
    points: {
      x: Float32Array.from(rows, (row) => final.left + xScale.position(across[row]!) * final.width),
      y: Float32Array.from(rows, (row) => final.top + (1 - yScale.position(along[row]!)) * final.height),
    },
    x: valueTicks(xScale, Math.max(2, Math.floor(final.width / 90))).map((tick) => ({
      ...tick,
      at: final.left + xScale.position(tick.value) * final.width,
    })),
    y: valueTicks(yScale, 5).map((tick) => ({ ...tick, at: final.top + (1 - yScale.position(tick.value)) * final.height })),
  };
}
