import { expect, it } from 'vitest';
import { rawLine } from '../testing/raw-line.ts';
import type { HeatCell } from './heat-cells.ts';
import { cellAfter, cellUnder, centerOf } from './read-cells.ts';

/** Adjacent cells that start at these pixels; the last number is where the last cell ends. */
function rowOf(...edges: readonly number[]): HeatCell[] {
  const line = rawLine('run', edges.slice(1));
  return edges.slice(1).map((to, index) => ({ line, index, from: edges[index]!, to }));
}

/** The second row has wider cells; the third row starts late. */
const cells = [rowOf(0, 10, 20, 30, 40), rowOf(0, 20, 40), rowOf(25, 30, 40)];

it('finds the cell at a place, and none where a row is empty', () => {
  expect(cellUnder(cells, 15, 0)).toEqual({ row: 0, at: 1 });
  expect(cellUnder(cells, 15, 0.5)).toEqual({ row: 1, at: 0 });
  expect(cellUnder(cells, 26, 0.99)).toEqual({ row: 2, at: 0 });
  expect(cellUnder(cells, 15, 0.99)).toBeNull();
});

it('reads the first and the last row beside the plot', () => {
  expect(cellUnder(cells, 5, -0.1)).toEqual({ row: 0, at: 0 });
  expect(cellUnder(cells, 35, 1.1)).toEqual({ row: 2, at: 1 });
});

it('reads cells that are narrower than a pixel, and of several the last', () => {
  expect(cellUnder([rowOf(0, 0.2, 0.4, 5)], 0.3, 0)).toEqual({ row: 0, at: 1 });
  expect(cellUnder([rowOf(7, 7)], 7.9, 0)).toEqual({ row: 0, at: 0 });
});

it('reads along a row with keys, up to its ends', () => {
  const after = (key: string, at: number) => cellAfter(key, { row: 0, at }, cells);
  expect(after('ArrowRight', 1)).toEqual({ row: 0, at: 2 });
  expect(after('ArrowRight', 3)).toEqual({ row: 0, at: 3 });
  expect(after('ArrowLeft', 0)).toEqual({ row: 0, at: 0 });
  expect(after('Home', 2)).toEqual({ row: 0, at: 0 });
  expect(after('End', 0)).toEqual({ row: 0, at: 3 });
});

it('goes to the nearest cell of the next row, and stays in the first and the last one', () => {
  expect(cellAfter('ArrowDown', { row: 0, at: 3 }, cells)).toEqual({ row: 1, at: 1 });
  expect(cellAfter('ArrowDown', { row: 1, at: 0 }, cells)).toEqual({ row: 2, at: 0 });
  expect(cellAfter('ArrowUp', { row: 2, at: 0 }, cells)).toEqual({ row: 1, at: 1 });
  expect(cellAfter('ArrowUp', { row: 0, at: 2 }, cells)).toEqual({ row: 0, at: 2 });
  expect(cellAfter('ArrowDown', { row: 2, at: 1 }, cells)).toEqual({ row: 2, at: 1 });
});

it('starts in the first row', () => {
  expect(cellAfter('ArrowRight', null, cells)).toEqual({ row: 0, at: 0 });
  expect(cellAfter('ArrowLeft', null, cells)).toEqual({ row: 0, at: 3 });
  expect(cellAfter('ArrowDown', null, cells)).toEqual({ row: 0, at: 0 });
});

it('leaves other keys to the page', () => {
  expect(cellAfter('Escape', { row: 0, at: 0 }, cells)).toBeNull();
  expect(cellAfter('Tab', null, cells)).toBeNull();
});

it('has its center halfway between its ends', () => {
  expect(centerOf(cells[1]![1]!)).toBe(30);
});
