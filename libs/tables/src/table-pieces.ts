import { csvHead, csvLines } from './csv.ts';
import { jsonLines } from './json-lines.ts';
import type { ScalarRange, TableColumns } from './scalar-range.ts';

/** The formats of a long table, which are also the file extensions. */
export const tableFormats = ['csv', 'jsonl', 'arrow', 'parquet'] as const;

/** One of {@link tableFormats}. */
export type TableFormat = (typeof tableFormats)[number];

/** How a table is written. */
export interface TableOptions {
  readonly format: TableFormat;
  readonly columns: TableColumns;
  /** Whether names that start like a formula get an apostrophe in CSV. */
  readonly guard?: boolean;
}

/**
 * Ranges of scalars as the bytes of one long table. Holds one range and, for Parquet, one row group
 * in memory.
 */
export async function tablePieces(
  ranges: AsyncIterable<ScalarRange>,
  { format, columns, guard = false }: TableOptions,
): Promise<AsyncIterable<Uint8Array>> {
  switch (format) {
    case 'csv':
      return csvPieces(ranges, columns, guard);
    case 'jsonl':
      return jsonPieces(ranges, columns);
    case 'arrow':
      return (await import('./arrow.ts')).arrowStream(ranges, columns);
    case 'parquet':
      return (await import('./parquet.ts')).parquetFile(ranges, columns);
  }
}

async function* jsonPieces(ranges: AsyncIterable<ScalarRange>, columns: TableColumns): AsyncGenerator<Uint8Array> {
  for await (const range of inSlices(ranges)) yield Buffer.from(jsonLines(range, columns));
}

async function* csvPieces(ranges: AsyncIterable<ScalarRange>, columns: TableColumns, guard: boolean): AsyncGenerator<Uint8Array> {
  yield Buffer.from(csvHead(columns));
  for await (const range of inSlices(ranges)) yield Buffer.from(csvLines(range, { guard, writer: columns.writer }));
}

/**
 * Maximum number of rows with their text in memory at a time, because the text of a whole range is
 * many times larger than its numbers.
 */
const rowsAtOnce = 8192;

async function* inSlices(ranges: AsyncIterable<ScalarRange>): AsyncGenerator<ScalarRange> {
  for await (const range of ranges) {
    for (let from = 0; from < range.steps.length; from += rowsAtOnce) {
      const to = from + rowsAtOnce;
      yield {
        ...range,
        steps: range.steps.subarray(from, to),
        wallTimes: range.wallTimes.subarray(from, to),
        values: range.values.subarray(from, to),
        superseded: range.superseded?.slice(from, to) ?? null,
      };
    }
  }
}
