import { useMemo, useRef } from 'react';
import { countText, type Extent, formatCount, type HeatMap, isZoomed, type Scale, unzoomed, type View, visibleText, xTicks } from '#charts';
import { useStore } from '../../app/store.ts';
import { runText } from '../../compare/compared-run.ts';
import { type PlotBox, SvgAxes } from '../../data/svg-axes.tsx';
import { useSize } from '../../data/use-size.ts';
import { changeView } from '../../experiment/change-view.ts';
import { useWorld } from '../../experiment/experiment-context.ts';
import { ReadablePlot } from '../../plot/readable-plot.tsx';
import { usePointer } from '../../plot/use-pointer.ts';
import { localOffset } from '../plot.ts';
import { roundRange } from '../round-range.ts';
import { momentText } from '../tooltip.ts';
import { CellReading } from './cell-reading.tsx';
import { CellTexts } from './cell-texts.tsx';
import { HeatCanvas } from './heat-canvas.tsx';
import { heatCells } from './heat-cells.ts';
import { layOutHeat } from './heat-layout.ts';
import type { HeatRow } from './heat-rows.ts';
import { cellAfter, cellUnder, centerOf } from './read-cells.ts';
import { useHeatReading } from './use-heat-reading.ts';
import { useRangeBrush } from './use-range-brush.ts';

interface PlotProps {
  readonly rows: readonly HeatRow[];
  readonly x: Scale;
  /** Null if no value has a color. */
  readonly colors: Extent | null;
  readonly run: string;
  readonly title: string;
  readonly heatMap: HeatMap;
  readonly xAxis: View['xAxis'];
}

/** The rows with their names, and the x axis. Arrow keys move between cells; dragging zooms. */
export function HeatPlot({ rows, x, colors, run, title, heatMap, xAxis }: PlotProps) {
  const { view } = useWorld();
  const place = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(place);
  const layout = useMemo(
    () =>
      layOutHeat(
        rows.map(({ tag }) => tag),
        { width, height },
      ),
    [rows, width, height],
  );
  const { box, rowHeight, right } = layout;
  const { left, width: wide } = box;
  const cells = useMemo(() => rows.map((row) => heatCells(row, x, wide)), [rows, x, wide]);
  const ticks = useMemo(
    () => xTicks(xAxis, x, width > 700 ? 9 : 5, localOffset, { wide, left, right }),
    [xAxis, x, width, wide, left, right],
  );
  const reading = useHeatReading(cells);
  const { read, byKey } = reading;

  const across = (at: { readonly x: number }): number => Math.min(wide, Math.max(0, at.x - left));
  const { brush, press } = useRangeBrush(across, (dragged) => {
    const [low, high] = [x.forward(x.min), x.forward(x.max)];
    const [min, max] = dragged.map((at) => x.inverse(low + (at / wide) * (high - low))) as [number, number];
    changeView(view, { range: roundRange({ min, max }, xAxis) });
  });
  const pointer = usePointer(place, {
    move: (at) => reading.set(cellUnder(cells, across(at), (at.y - box.top) / box.height), false),
    leave: () => reading.set(null, false),
    press,
  });
  const onKey = (key: string): boolean => {
    const next = cellAfter(key, read, cells);
    if (next) reading.set(next, true);
    else if (key === '0' && isZoomed(view.value)) changeView(view, unzoomed);
    else if (key === 'Escape' && reading.isReading) reading.set(null, true);
    else return false;
    return true;
  };

  const ends = [x.min, x.max].map((at) => placeText(at, xAxis)).join(' to ');
  const label = `${visibleText(title)}: heat map of ${countText(rows.length, 'tag')} of ${runText(run)}, ${axisNames[xAxis as 'step'] ?? 'x'} ${ends}. Use the arrow keys to read its cells.`;
  return (
    <>
      <ReadablePlot
        element={place}
        className="heat-plot"
        kind="heat map"
        label={label}
        onKey={onKey}
        onLeave={() => byKey && reading.set(null, true)}
        {...pointer}
        onDoubleClick={() => isZoomed(view.value) && changeView(view, unzoomed)}
      >
        <HeatCanvas box={box} cells={cells} heatMap={heatMap} colors={colors} />
        <svg width={width} height={height} aria-hidden="true">
          <SvgAxes box={box} x={ticks.map((tick) => ({ ...tick, at: left + x.position(tick.value) * wide }))} y={[]} />
          {layout.names.map((name, i) =>
            i % layout.rowsPerName === 0 ? (
              <text key={rows[i]!.tag} className="row-name" x={left - 8} y={box.top + (i + 0.5) * rowHeight + 4} textAnchor="end">
                {name}
              </text>
            ) : null,
          )}
          <Crosshair x={x} box={box} />
          {read && (
            <rect
              className="cell"
              x={left + Math.max(0, read.cell.from)}
              y={box.top + read.row * rowHeight}
              width={Math.max(2, Math.min(wide, read.cell.to) - Math.max(0, read.cell.from))}
              height={rowHeight}
            />
          )}
          {brush && <rect className="brush" x={left + brush[0]} y={box.top} width={brush[1] - brush[0]} height={box.height} />}
        </svg>
      </ReadablePlot>
      <CellReading
        at={
          read && {
            place,
            x: left + Math.min(wide, Math.max(0, centerOf(read.cell))),
            y: box.top + (read.row + 0.5) * rowHeight,
          }
        }
        isSpoken={byKey}
      >
        {read && <CellTexts tag={rows[read.row]!.tag} cell={read.cell} xAxis={xAxis} />}
      </CellReading>
    </>
  );
}

const axisNames = { step: 'steps', relative: 'time', wall: 'time' } as const;

function placeText(at: number, xAxis: View['xAxis']): string {
  return xAxis === 'wall' ? momentText(at) : formatCount(Math.round(at));
}

/** The pointer's position, in this chart or another one. */
function Crosshair({ x, box: { left, top, width, height } }: { readonly x: Scale; readonly box: PlotBox }) {
  const { hover } = useWorld();
  const at = useStore(hover, (now) => now.x);
  const position = at === null ? Number.NaN : x.position(at);
  if (!(position >= 0 && position <= 1)) return null;
  return <path className="crossing" d={`M${left + position * width} ${top}v${height}`} />;
}
