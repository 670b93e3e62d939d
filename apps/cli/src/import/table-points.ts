import type { RunName, TagName } from '#model';
import { numberOf, stepOf, timeOf } from './cells.ts';
import type { ImportSink } from './import-sink.ts';

/** The roles of a long table's columns. */
export interface TableColumns {
  /** Absent if all rows belong to the run `runName`. */
  readonly run: string | null;
  readonly tag: string;
  /** Absent if the points of a series are counted instead. */
  readonly step: string | null;
  /** Absent if the time is unknown and stored as 0. */
  readonly time: string | null;
  readonly value: string;
  readonly writer: string | null;
  /** Rows with true in this column are omitted: they were superseded. */
  readonly superseded: string | null;
}

/** Options of {@link TablePoints}. */
export interface TablePointsOptions {
  readonly columns: TableColumns;
  readonly runName: RunName;
  /** 1 for seconds, 1000 for milliseconds. */
  readonly unitsPerSecond: number;
  /** Whether to sort the rows by step in memory. */
  readonly sorts: boolean;
}

interface Series {
  readonly run: RunName;
  readonly tag: TagName;
  readonly writer: number;
  readonly rows: { readonly step: bigint; readonly wallTime: number; readonly value: number }[];
}

/** Maximum rows in memory. */
const rowsAtOnce = 262_144;

/** Collects the rows of a long table into series, many rows at a time. */
export class TablePoints {
  readonly #sink: ImportSink;
  readonly #options: TablePointsOptions;
  readonly #counted = new Map<string, bigint>();
  #series = new Map<string, Series>();
  #rows = 0;

  constructor(sink: ImportSink, options: TablePointsOptions) {
    this.#sink = sink;
    this.#options = options;
  }

  /** Adds a row; `cell` returns the cell of a column. */
  async add(cell: (column: string) => unknown): Promise<void> {
    const { columns, runName, unitsPerSecond } = this.#options;
    if (columns.superseded !== null && /^(true|1)$/i.test(String(cell(columns.superseded))))
      return this.#sink.skip('superseded rows', 'they were replaced');
    const tag = cell(columns.tag);
    const run = columns.run === null ? runName : cell(columns.run);
    if (typeof tag !== 'string' || typeof run !== 'string' || run === '') return this.#sink.skip('rows', 'they have no run or no tag');
    const value = numberOf(cell(columns.value));
    if (typeof value === 'string')
      return this.#sink.skip('rows', value === 'malformed' ? 'their value is not a number' : 'their value is out of range for float64');
    const writer = columns.writer === null ? 0 : Number(cell(columns.writer));
    if (!Number.isSafeInteger(writer) || writer < 0 || writer > 9_999)
      return this.#sink.skip('rows', 'their writer is not a number from 0 to 9999');
    const key = `${writer} ${run}\0${tag}`;
    const step = columns.step === null ? (this.#counted.get(key) ?? 0n) : stepOf(cell(columns.step));
    if (typeof step === 'string')
      return this.#sink.skip('rows', step === 'malformed' ? 'their step is not a whole number' : 'their step is out of range for int64');
    if (columns.step === null) this.#counted.set(key, step + 1n);
    const wallTime = columns.time === null ? 0 : timeOf(cell(columns.time), unitsPerSecond);
    if (typeof wallTime === 'string')
      return this.#sink.skip(
        'rows',
        wallTime === 'malformed' ? 'their time is neither a number nor a date' : 'their time is out of range for float64',
      );
    const series: Series = this.#series.get(key) ?? { run, tag, writer, rows: [] };
    this.#series.set(key, series);
    series.rows.push({ step, wallTime, value });
    if (++this.#rows === rowsAtOnce) await this.flush();
  }

  /** Flushes the points in memory. */
  async flush(): Promise<void> {
    for (const { run, tag, writer, rows } of this.#series.values()) {
      if (this.#options.sorts) rows.sort((a, b) => (a.step < b.step ? -1 : a.step > b.step ? 1 : 0));
      await this.#sink.scalars({
        run,
        tag,
        writer,
        steps: BigInt64Array.from(rows, ({ step }) => step),
        wallTimes: Float64Array.from(rows, ({ wallTime }) => wallTime),
        values: Float64Array.from(rows, ({ value }) => value),
      });
    }
    this.#series = new Map();
    this.#rows = 0;
  }
}
