import { indexAfter } from '../../plot/index-after.ts';
import type { HeatCell } from './heat-cells.ts';

/** A cell of a heat map: its row, and its index in that row. */
export interface CellIndex {
  readonly row: number;
  readonly at: number;
}

type Cells = readonly (readonly HeatCell[])[];

/**
 * The cell at a position in the plot; null if there is none. `x` is in pixels, `down` from 0 (top)
 * to 1.
 */
export function cellUnder(cells: Cells, x: number, down: number): CellIndex | null {
  const row = Math.min(cells.length - 1, Math.max(0, Math.floor(down * cells.length)));
  // The last match, because later cells are drawn over earlier ones
  const at = cells[row]!.findLastIndex(({ from, to }) => x >= from && x <= Math.max(to, from + 1));
  return at < 0 ? null : { row, at };
}

/**
 * The cell to which a key moves: along its row, or to the nearest cell in the row above or below.
 * Null for other keys. `from`: the current cell; null if no cell is being read.
 */
export function cellAfter(key: string, from: CellIndex | null, cells: Cells): CellIndex | null {
  const { row, at } = from ?? { row: 0, at: -1 };
  const along = indexAfter(key, { now: at, count: cells[row]!.length, next: 'ArrowRight', previous: 'ArrowLeft' });
  if (along !== null) return { row, at: along };
  const vertical = { ArrowDown: row + 1, ArrowUp: row - 1 }[key];
  if (vertical === undefined) return null;
  const next = Math.min(cells.length - 1, Math.max(0, from ? vertical : 0));
  return { row: next, at: nearestCell(cells[next]!, from ? centerOf(cells[row]![at]!) : 0) };
}

/** In pixels from the left edge of the plot. */
export function centerOf({ from, to }: HeatCell): number {
  return (from + to) / 2;
}

function nearestCell(cells: readonly HeatCell[], x: number): number {
  let [best, min] = [0, Infinity];
  cells.forEach((cell, i) => {
    const distance = Math.abs(centerOf(cell) - x);
    if (distance < min) [best, min] = [i, distance];
  });
  return best;
}
