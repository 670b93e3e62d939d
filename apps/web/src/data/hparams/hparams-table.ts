import { compareNumbers, formatDistinct, hparamNumber, naturally } from '#charts';
import type { RunJson } from '../../api/types.ts';
import type { Cell } from '../../runs/conditions.ts';
import type { SeriesStats } from '../../runs/use-series.ts';

/** A column: a hyperparameter, or the last value of a tag in the run or in a run below it. */
export interface Column {
  /** `h:lr`, `m:validation/loss`. */
  readonly key: string;
  readonly name: string;
  readonly metric: boolean;
}

export interface Row {
  readonly run: string;
  readonly status: RunJson['status'];
  readonly hparams: RunJson['hparams'];
  readonly last_time: RunJson['last_time'];
  readonly state: RunJson['state'];
  readonly cells: ReadonlyMap<string, Cell>;
}

/**
 * The trials of an experiment: a row for each run with hyperparameters. Its metrics are its own
 * scalars and those of the runs below it.
 */
export function trialsOf(runs: readonly RunJson[], series: readonly SeriesStats[]): { readonly columns: Column[]; readonly rows: Row[] } {
  const trials = runs.filter(({ hparams }) => Object.keys(hparams).length > 0);
  const cells = new Map(
    trials.map(({ run, hparams }) => [
      run,
      new Map<string, Cell>(Object.entries(hparams).map(([name, value]) => [`h:${name}`, hparamNumber(value) ?? value])),
    ]),
  );
  const metrics = new Set<string>();
  for (const { run, tag, last } of series) {
    const trial = ancestorIn(run, cells);
    if (trial === null || last === null) continue;
    const key = `m:${run.length > trial.length ? `${run.slice(trial.length + 1)}/` : ''}${tag}`;
    metrics.add(key);
    cells.get(trial)!.set(key, Number(last));
  }
  const names = new Set(trials.flatMap(({ hparams }) => Object.keys(hparams)));
  return {
    columns: [
      ...[...names].sort(naturally).map((name) => ({ key: `h:${name}`, name, metric: false })),
      ...[...metrics].sort(naturally).map((key) => ({ key, name: key.slice(2), metric: true })),
    ],
    rows: trials.map(({ run, status, hparams, last_time, state }) => ({ run, status, hparams, last_time, state, cells: cells.get(run)! })),
  };
}

/** The run itself, or the nearest run above it that the map contains; null if there is none. */
export function ancestorIn(run: string, known: ReadonlyMap<string, unknown>): string | null {
  for (let name = run; name !== ''; name = name.slice(0, Math.max(0, name.lastIndexOf('/')))) if (known.has(name)) return name;
  return null;
}

/** Columns whose values differ. */
export function differing(columns: readonly Column[], rows: readonly Row[]): Column[] {
  return columns.filter(({ key }) => new Set(rows.map(({ cells }) => cells.get(key) ?? null)).size > 1);
}

/** Keys of the columns with numbers. */
export function numericColumns(columns: readonly Column[], rows: readonly Row[]): Set<string> {
  return new Set(columns.map(({ key }) => key).filter((key) => rows.some(({ cells }) => typeof cells.get(key) === 'number')));
}

/**
 * Rows sorted by a column. Rows with a missing or non-finite value come last. `sort`: the column's
 * key, with a leading `-` for descending order.
 */
export function sortRows(rows: readonly Row[], sort: string): Row[] {
  const down = sort.startsWith('-');
  const key = down ? sort.slice(1) : sort;
  if (key === '') return [...rows];
  return rows.toSorted((a, b) => {
    const [left, right] = [a.cells.get(key) ?? null, b.cells.get(key) ?? null];
    const last = compareNumbers(lastPlace(left), lastPlace(right));
    return last !== 0 || left === null || right === null ? last : compare(left, right, down);
  });
}

/** The rank of a value that sorts last in both directions; 0 for all other values. */
function lastPlace(cell: Cell): number | null {
  if (cell === null) return null;
  return typeof cell === 'number' && !Number.isFinite(cell) ? cell : 0;
}

/** The numbers of a column, for display. Different metrics never look the same. */
export function metricTexts(key: string, rows: readonly Row[]): ReadonlyMap<number, string> {
  const values = [...new Set(rows.map(({ cells }) => cells.get(key)).filter((cell) => typeof cell === 'number'))];
  const texts = formatDistinct(values);
  return new Map(values.map((value, i) => [value, texts[i]!]));
}

function compare(a: NonNullable<Cell>, b: NonNullable<Cell>, down: boolean): number {
  if (typeof a === 'number' && typeof b === 'number') return compareNumbers(a, b, down);
  return naturally(String(a), String(b)) * (down ? -1 : 1);
}
