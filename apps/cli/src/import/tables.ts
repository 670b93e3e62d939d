import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { RecordBatchReader } from 'apache-arrow';
import { ParquetFile, type ParquetSource } from '#parquet';
import { usageError } from '../exit.ts';
import { csvRows } from './csv-rows.ts';
import type { TableColumns, TablePoints } from './table-points.ts';

/** Columns that the user named, or null: the usual name, if the table has it. */
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
 * The columns of a table; throws if it has none for the tag or the value, or not those that were
 * named.
 */
export function columnsOf(names: readonly string[], named: NamedColumns): TableColumns {
  const found: Record<string, string | null> = {};
  for (const role of Object.keys(usual) as (keyof TableColumns)[]) {
    const wanted = named[role];
    if (wanted !== null && !names.includes(wanted))
      throw usageError(`The table has no column ${JSON.stringify(wanted)}. It has: ${names.slice(0, 50).join(', ')}.`);
    found[role] = wanted ?? usual[role].find((name) => names.includes(name)) ?? null;
    if (found[role] === null && (role === 'tag' || role === 'value'))
      throw usageError(`Name the column with ${words[role]}: --${role}-column. The table has: ${names.slice(0, 50).join(', ')}.`);
  }
  return found as unknown as TableColumns;
}

/** Reads the rows of a file into points: `points` is called with the names of its columns. */
export type TableReader = (path: string, points: (names: readonly string[]) => TablePoints) => Promise<void>;

/** Readers of tables, by format. */
export const tableReaders = { csv: readCsv, jsonl: readJsonLines, arrow: readArrow, parquet: readParquet } as const satisfies Record<
  string,
  TableReader
>;

async function readCsv(path: string, points: (names: readonly string[]) => TablePoints): Promise<void> {
  let places: ReadonlyMap<string, number> | null = null;
  let into: TablePoints | null = null;
  for await (const row of csvRows(createReadStream(path, { encoding: 'utf8', highWaterMark: 1024 * 1024 }))) {
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
  for await (const line of linesOf(createReadStream(path, { encoding: 'utf8', highWaterMark: 1024 * 1024 }))) {
    if (line.trim() === '') continue;
    const row = JSON.parse(line) as Readonly<Record<string, unknown>>;
    into ??= points(Object.keys(row));
    await into.add((column) => row[column]);
  }
  await into?.flush();
}

/**
 * Only line feeds end a line: `node:readline` also splits at U+2028, which JSON has unescaped in
 * strings.
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
  const reader = await RecordBatchReader.from(createReadStream(path));
  await reader.open();
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

/** Opens a Parquet file while `use` runs. */
export async function withParquet(path: string, use: (file: ParquetFile) => Promise<void>): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await use(await ParquetFile.open(await sourceOf(handle)));
  } finally {
    await handle.close();
  }
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
        if (bytesRead === 0) throw new Error('the file ends before its footer says');
        filled += bytesRead;
      }
      return bytes.buffer;
    },
  };
}
