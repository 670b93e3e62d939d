import { type Fields, flag, names, namesOrNull, repeated, text } from './field.ts';

/** The minimum and maximum column width, in pixels. */
export const columnWidthRange = { min: 48, max: 800 } as const;

/** The chosen width of a column. */
export interface ColumnWidth {
  readonly key: string;
  readonly pixels: number;
}

/** The tables of runs and of hyperparameters. */
export interface RunsTableView {
  /** The sort column; `-` in front means descending. */
  readonly sort: string;
  /** The columns, in order. Null means a default selection. Can be empty. */
  readonly columns: readonly string[] | null;
  /** Whether only the columns in which runs differ are shown. */
  readonly differ: boolean;
  /** Columns of the runs table that stay in view. */
  readonly pinnedColumns: readonly string[];
  /** Columns whose values group the rows of the runs table. */
  readonly groupBy: readonly string[];
  /** Columns of the runs table with a chosen width. */
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

/** Parses widths in a URL: `120:KEY`; if there are several for a column, uses the first. */
function readColumnWidths(texts: readonly string[]): ColumnWidth[] {
  const widths = new Map<string, ColumnWidth>();
  for (const one of texts) {
    const [, digits, key] = /^(\d{1,4}):(.+)$/s.exec(one) ?? [];
    if (key === undefined || widths.has(key)) continue;
    widths.set(key, { key, pixels: Math.min(columnWidthRange.max, Math.max(columnWidthRange.min, Number(digits))) });
  }
  return [...widths.values()];
}
