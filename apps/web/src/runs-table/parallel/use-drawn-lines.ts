import { useMemo } from 'react';
import { useTheme } from '../../app/theme.ts';
import { useContents, useView } from '../../experiment/experiment-context.ts';
import type { Cell } from '../../runs/conditions.ts';
import { numbersOf } from '../scatter/plot-columns.ts';
import { coloringOf, grayOf } from '../scatter/scatter-colors.ts';
import type { RunColumn } from '../table-columns.ts';
import { parallelAxis } from './parallel-axis.ts';
import { layout } from './parallel-layout.ts';

interface LinesData {
  readonly names: readonly string[];
  readonly axes: readonly RunColumn[];
  readonly cells: readonly (readonly Cell[])[];
  readonly colorCells: readonly Cell[] | null;
}

/** What a plot of this width shows. Lines are indexes into `names`. */
export function useDrawnLines({ names, axes, cells, colorCells }: LinesData, width: number) {
  const { listed } = useContents();
  const theme = useTheme();
  const scales = useView((one) => one.plotAxisScales);
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
  const order = useMemo(() => {
    const last = axes.length - 1;
    return inside.toSorted((a, b) => lines.y[a * axes.length + last]! - lines.y[b * axes.length + last]!);
  }, [inside, lines, axes]);
  return {
    /** The axes, and where the lines cross them. */
    drawn,
    lines,
    /** The width of an axis name. */
    slot,
    coloring,
    colorOf,
    gray,
    /** The lines of the runs that the table lists, and the lines of other runs. */
    inside,
    outside,
    /** The lines of the table's runs, sorted by their position on the last axis. */
    order,
  };
}
