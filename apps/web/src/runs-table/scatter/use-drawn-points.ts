import { useMemo } from 'react';
import { leftInset, type ScaleKind } from '#charts';
import { useTheme } from '../../app/theme.ts';
import type { PlotBox } from '../../data/svg-axes.tsx';
import type { Cell } from '../../runs/conditions.ts';
import { cellText } from '../cell-text.ts';
import type { RunColumn } from '../table-columns.ts';
import { cut, numbersOf } from './plot-columns.ts';
import { axisOf, type ScatterAxis } from './scatter-axis.ts';
import { coloringOf } from './scatter-colors.ts';

/** The height of the plot, in pixels. */
export const height = 300;

/** The data that the points show. */
export interface PointsData {
  /** The runs, by their names on the page. */
  readonly names: readonly string[];
  readonly columns: { readonly x: RunColumn; readonly y: RunColumn; readonly color: RunColumn | null };
  /** One cell per run. */
  readonly cells: { readonly x: readonly Cell[]; readonly y: readonly Cell[]; readonly color: readonly Cell[] | null };
  readonly kinds: { readonly x: ScaleKind; readonly y: ScaleKind };
  readonly selected: ReadonlySet<string>;
}

/**
 * The drawing of a plot with this width. Points are numbered, and `index` contains the index of
 * each point's run.
 */
export function useDrawnPoints({ names, columns, cells, kinds, selected }: PointsData, width: number) {
  const theme = useTheme();
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
  const order = useMemo(() => Array.from(points.x, (_, i) => i).sort((a, b) => points.x[a]! - points.x[b]!), [points]);
  return { xAxis, yAxis, yTicks, coloring, box, index, points, order };
}

/**
 * Points with the same value are placed next to each other, always at the same position for a run.
 */
function spreadOf({ scale, values }: ScatterAxis, i: number): number {
  return scale ? 0 : ((((i * 0.618034) % 1) - 0.5) * 0.6) / values.length;
}
