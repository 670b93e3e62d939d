import { type Fields, flag, names, namesOrNull, repeated, text } from './field.ts';

/** The smallest and the largest width of a column, in pixels. */
export const columnWidthRange = { min: 48, max: 800 } as const;

/** The chosen width of a column. */
export interface ColumnWidth {
  readonly key: string;
  readonly pixels: number;
}

/** The tables of runs and of hyperparameters. */
export interface RunsTableView {
  /** The sort column; `-` in front: descending. */
  readonly sort: string;
  /** The columns in their order. Null: a default selection. May be empty. */
  readonly columns: readonly string[] | null;
  /** Whether only columns are shown in which runs differ. */
  readonly differ: boolean;
  /** Columns of the table of runs that stay in view. */
  readonly pinnedColumns: readonly string[];
  /** Columns whose values group the rows of the table of runs. */
  readonly groupBy: readonly string[];
  /** Columns of the table of runs whose width was chosen. */
  readonly columnWidths: readonly ColumnWidth[];
}

export const runsTableFields: Fields<RunsTableView> = {
  sort: text('sort'),
  columns: namesOrNull('column'),
  differ: flag('differ'),
  pinnedColumns: names('pin'),
  groupBy: names('group'),
  columnWidths: repeated('columnWidth', readColumnWidths, ({ key, pixels }) => `${pixels}:${key}`),
};

/** Parses widths in a URL: `120:KEY`; of several for a column, the first. */
function readColumnWidths(texts: readonly string[]): ColumnWidth[] {
  const widths = new Map<string, ColumnWidth>();
  for (const one of texts) {
    const [, digits, key] = /^(\d{1,4}):(.+)$/s.exec(one) ?? [];
    if (key === undefined || widths.has(key)) continue;
    widths.set(key, { key, pixels: Math.min(columnWidthRange.max, Math.max(columnWidthRange.min, Number(digits))) });
  }
  return [...widths.values()];
}
