import { naturally, palettes, type Theme } from '#charts';
import { rampColor } from '../../app/ramp.ts';
import type { Cell } from '../../runs/conditions.ts';

/** Number of shades in a ramp. Readers cannot distinguish more. */
const shades = 24;

/** The color of points with a value that has no color of its own. */
const others = { light: '#8d8a84', dark: '#7d7a74' } as const;

/** How values are colored. */
export interface Coloring {
  /** The colors in use. Points refer to them by index. */
  readonly colors: readonly string[];
  readonly indexOf: (cell: Cell) => number;
  /**
   * For numbers, the ends of the ramp. Otherwise, the values that have a color; all other values
   * are gray.
   */
  readonly legend:
    | { readonly kind: 'none' }
    | { readonly kind: 'ramp'; readonly min: number; readonly max: number }
    | { readonly kind: 'values'; readonly values: readonly NonNullable<Cell>[]; readonly more: boolean };
}

/**
 * The colors for a column's cells. Null if no column is selected, so that all points have the same
 * color.
 */
export function coloringOf(cells: readonly Cell[] | null, theme: Theme): Coloring {
  const gray = others[theme];
  if (cells === null) return { colors: [palettes[theme][0]], indexOf: () => 0, legend: { kind: 'none' } };
  if (cells.every((cell) => cell === null || typeof cell === 'number')) {
    let [min, max] = [Infinity, -Infinity];
    for (const cell of cells)
      if (typeof cell === 'number' && Number.isFinite(cell)) [min, max] = [Math.min(min, cell), Math.max(max, cell)];
    const colors = [...Array.from({ length: shades }, (_, i) => rampColor(theme, i / (shades - 1))), gray];
    const span = max > min ? max - min : 1;
    const indexOf = (cell: Cell): number =>
      typeof cell === 'number' && Number.isFinite(cell) ? Math.round(((cell - min) / span) * (shades - 1)) : shades;
    return { colors, indexOf, legend: min > max ? { kind: 'none' } : { kind: 'ramp', min, max } };
  }
  const counts = new Map<NonNullable<Cell>, number>();
  for (const cell of cells) if (cell !== null) counts.set(cell, (counts.get(cell) ?? 0) + 1);
  const frequent = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, palettes[theme].length);
  const values = frequent.map(([value]) => value).toSorted((a, b) => naturally(String(a), String(b)));
  const places = new Map<Cell, number>(values.map((value, i) => [value, i]));
  return {
    colors: [...palettes[theme].slice(0, values.length), gray],
    indexOf: (cell) => places.get(cell) ?? values.length,
    legend: { kind: 'values', values, more: counts.size > values.length || cells.includes(null) },
  };
}

/** The color of lines and points without a color of their own. */
export function grayOf(theme: Theme): string {
  return others[theme];
}
