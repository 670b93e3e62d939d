import { compareNumbers, naturally } from '#charts';
import type { Cell } from '../runs/conditions.ts';

/** A row of the table. */
export interface TableRow {
  /** The run's name on the page. */
  readonly run: string;
  readonly cells: ReadonlyMap<string, Cell>;
}

/** The summary of a column over several runs. */
export type GroupCell =
  | { readonly kind: 'mean'; readonly mean: number; readonly std: number | null; readonly min: number; readonly count: number }
  | { readonly kind: 'value'; readonly value: NonNullable<Cell> }
  | { readonly kind: 'several'; readonly count: number };

/** Rows with the same values in some columns. */
export interface RowGroup<R extends TableRow> {
  /** A unique key. */
  readonly key: string;
  /** The values of the grouping columns, in order. */
  readonly values: readonly Cell[];
  readonly rows: readonly R[];
}

/** The groups of these rows, in the order of their values. */
export function groupRows<R extends TableRow>(rows: readonly R[], keys: readonly string[]): RowGroup<R>[] {
  const groups = Map.groupBy(rows, ({ cells }) => JSON.stringify(keys.map((key) => textOf(cells.get(key) ?? null))));
  return [...groups]
    .map(([key, members]) => ({ key, values: keys.map((name) => members[0]!.cells.get(name) ?? null), rows: members }))
    .sort((a, b) => compareValues(a.values, b.values));
}

/** Not JSON, which has no NaN or infinities. The number 1 differs from the text "1". */
function textOf(value: Cell): string {
  return `${typeof value} ${String(value)}`;
}

function compareValues(a: readonly Cell[], b: readonly Cell[]): number {
  for (const [i, left] of a.entries()) {
    const order = compareCells(left, b[i] ?? null, false);
    if (order !== 0) return order;
  }
  return 0;
}

/** Missing and non-finite values come last in both directions. */
export function compareCells(a: Cell, b: Cell, down: boolean): number {
  if (typeof a === 'number' && typeof b === 'number') return compareNumbers(a, b, down);
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return naturally(String(a), String(b)) * (down ? -1 : 1);
}

/**
 * Mean and sample standard deviation of a column's finite numbers. Otherwise, the value if all rows
 * share it. Null if no row has a value.
 */
export function groupCell(rows: readonly TableRow[], key: string): GroupCell | null {
  const values = rows.flatMap(({ cells }) => cells.get(key) ?? []);
  const numbers = values.filter((value): value is number => typeof value === 'number' && Number.isFinite(value));
  if (numbers.length > 0) {
    const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
    const squares = numbers.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return {
      kind: 'mean',
      mean,
      min: numbers.reduce((a, b) => Math.min(a, b)),
      std: numbers.length > 1 ? Math.sqrt(squares / (numbers.length - 1)) : null,
      count: numbers.length,
    };
  }
  const different = new Set(values);
  if (different.size === 0) return null;
  return different.size === 1 && values.length === rows.length
    ? { kind: 'value', value: values[0]! }
    : { kind: 'several', count: different.size };
}

/** Sorts groups by their mean in a column. Groups without a mean come last. */
export function sortGroups<R extends TableRow>(groups: readonly RowGroup<R>[], key: string, down: boolean): RowGroup<R>[] {
  const means = new Map(groups.map((group) => [group, sortValue(groupCell(group.rows, key))]));
  return groups.toSorted((a, b) => compareCells(means.get(a) ?? null, means.get(b) ?? null, down));
}

function sortValue(cell: GroupCell | null): Cell {
  if (cell?.kind === 'mean') return cell.mean;
  return cell?.kind === 'value' ? cell.value : null;
}
