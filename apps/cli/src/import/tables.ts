import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { RecordBatchReader } from 'apache-arrow';
import { ParquetFile, type ParquetSource } from '#parquet';
import { CliError, exitCodes, usageError } from '../exit.ts';
import { tooLarge } from './cells.ts';
import { csvRows } from './csv-rows.ts';
import type { TableColumns, TablePoints } from './table-points.ts';
import { textPieces } from './text-pieces.ts';

/**
 * Columns that the user specified. Null selects the column with the usual name, if there is one.
 */
export type NamedColumns = Readonly<Record<keyof TableColumns, string | null>>;

const usual: Readonly<Record<keyof TableColumns, readonly string[]>> = {
  run: ['run', 'run_name', 'run_id'],
  tag: ['tag', 'metric', 'key', 'name'],
  step: ['step', 'global_step'],
  time: ['wall_time', 'timestamp', 'time'],
  value: ['value'],
  writer: ['writer'],
  superseded: ['superseded'],
};
const words: Readonly<Record<keyof TableColumns, string>> = {
  run: 'the run',
  tag: 'the tag',
  step: 'the step',
  time: 'the time',
  value: 'the value',
  writer: 'the writer',
  superseded: 'superseded points',
};

/**
 * The columns of a table; throws if a column for the tag or the value, or a specified column, is
 * missing or occurs more than once.
 */
export function columnsOf(names: readonly string[], named: NamedColumns): TableColumns {
  const found: Record<string, string | null> = {};
  for (const role of Object.keys(usual) as (keyof TableColumns)[]) {
    const wanted = named[role];
    if (wanted !== null && !names.includes(wanted))
      throw usageError(`The table has no column ${JSON.stringify(wanted)}. It has: ${names.slice(0, 50).join(', ')}.`);
    found[role] = wanted ?? usual[role].find((name) => names.includes(name)) ?? null;
    if (found[role] === null && (role === 'tag' || role === 'value'))
      throw usageError(`Specify the column with ${words[role]}: --${role}-column. The table has: ${names.slice(0, 50).join(', ')}.`);
    const name = found[role];
    if (name !== null && names.indexOf(name) !== names.lastIndexOf(name))
      throw new CliError(exitCodes.failed, `The table has more than one column ${JSON.stringify(name)}. Remove or rename the others.`, {
        code: 'unreadable',
      });
  }
  return found as unknown as TableColumns;
}

/** Reads the rows of a file into points: `points` is called with the file's column names. */
export type TableReader = (path: string, points: (names: readonly string[]) => TablePoints) => Promise<void>;

/** Table readers, by format. */
export const tableReaders = { csv: readCsv, jsonl: readJsonLines, arrow: readArrow, parquet: readParquet } as const satisfies Record<
  string,
  TableReader
>;

async function readCsv(path: string, points: (names: readonly string[]) => TablePoints): Promise<void> {
  let places: ReadonlyMap<string, number> | null = null;
  let into: TablePoints | null = null;
  for await (const row of csvRows(textPieces(path))) {
    if (!places || !into) {
      places = new Map(row.map((name, i) => [name, i]));
      into = points(row);
      continue;
    }
    const at = places;
    await into.add((column) => row[at.get(column)!]);
  }
  await into?.flush();
}

async function readJsonLines(path: string, points: (names: readonly string[]) => TablePoints): Promise<void> {
  let into: TablePoints | null = null;
  let number = 0;
  for await (const line of linesOf(textPieces(path))) {
    number++;
    if (line.trim() === '') continue;
    const row = objectOf(line);
    if (row === null) throw unreadable(`Line ${number} of ${path} is not a JSON object.`);
    into ??= points(Object.keys(row));
    // JSON has no infinity: the number was too large
    await into.add((column) => (row[column] === Infinity || row[column] === -Infinity ? tooLarge : row[column]));
  }
  await into?.flush();
}

function objectOf(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value = JSON.parse(line, ...(wideNumber.test(line) ? [exactInteger] : [])) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Sixteen digits before a decimal point: possibly a whole number beyond 2^53. */
const wideNumber = /(?<![.0-9])[0-9]{16}/;

/** Converts a whole number beyond 2^53 to a bigint of exactly its digits. */
function exactInteger(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value;
  return /^-?[0-9]{16,400}$/.test(source) ? BigInt(source) : value;
}

function unreadable(message: string, cause?: unknown): CliError {
  return new CliError(exitCodes.failed, message, { code: 'unreadable', cause });
}

/**
 * Splits text into lines. Only line feeds end a line: `node:readline` also splits at U+2028, which
 * JSON strings may contain unescaped.
 */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest;
}

async function readArrow(path: string, points: (names: readonly string[]) => TablePoints): Promise<void> {
  let reader;
  try {
    reader = await RecordBatchReader.from(createReadStream(path));
    await reader.open();
  } catch (error) {
    throw unreadable(`${path} is not an Arrow file, or it is damaged.`, error);
  }
  // An empty file has no schema.
  if ((reader.schema as unknown) === undefined) throw unreadable(`${path} is not an Arrow file: it has no schema.`);
  const names = reader.schema.fields.map(({ name }) => name);
  const into = points(names);
  for await (const batch of reader) {
    const columns = new Map(names.map((name) => [name, batch.getChild(name)]));
    for (let i = 0; i < batch.numRows; i++) await into.add((column) => columns.get(column)?.get(i) as unknown);
  }
  await into.flush();
}

async function readParquet(path: string, points: (names: readonly string[]) => TablePoints): Promise<void> {
  await withParquet(path, async (file) => {
    const into = points(file.columns);
    for await (const { rows, columns } of file.rows(file.columns))
      for (let i = 0; i < rows; i++) await into.add((column) => columns.get(column)?.[i]);
    await into.flush();
  });
}

/** Opens a Parquet file while `use` runs. Throws if it is not a Parquet file. */
export async function withParquet(path: string, use: (file: ParquetFile) => Promise<void>): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await use(await parquetFile(path, await sourceOf(handle)));
  } finally {
    await handle.close();
  }
}

/** The magic bytes and the footer's length. */
const parquetTailBytes = 8;

async function parquetFile(path: string, source: ParquetSource): Promise<ParquetFile> {
  const { byteLength } = source;
  if (byteLength === 0) throw unreadable(`${path} is empty. A Parquet file has at least a footer.`);
  const magics = byteLength < 4 + parquetTailBytes ? [] : [await source.slice(0, 4), await source.slice(byteLength - 4, byteLength)];
  const [head, tail] = magics.map((bytes) => Buffer.from(bytes).toString('latin1'));
  if (head !== 'PAR1') throw unreadable(`${path} is not a Parquet file.`);
  if (tail !== 'PAR1') throw unreadable(`${path} is an incomplete Parquet file: its footer is missing.`);
  let file;
  try {
    file = await ParquetFile.open(source);
  } catch (error) {
    throw unreadable(`${path} is a damaged Parquet file: its footer cannot be read.`, error);
  }
  const [codec] = file.unsupportedCodecs;
  if (codec !== undefined)
    throw unreadable(`${path} is compressed with ${codec}, which is not supported. Rewrite it with zstd, gzip, snappy or brotli.`);
  return file;
}

async function sourceOf(handle: FileHandle): Promise<ParquetSource> {
  const { size } = await handle.stat();
  return {
    byteLength: size,
    slice: async (start, end = size) => {
      const bytes = new Uint8Array(end - start);
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
        if (bytesRead === 0) throw new Error('the file is shorter than its footer says');
        filled += bytesRead;
      }
      return bytes.buffer;
    },
  };
}
