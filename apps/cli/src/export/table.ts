import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError, exitCodes } from '../exit.ts';
import type { Api } from '../http/api.ts';
import { makeFolders, temporaryFor } from '../local/write-file.ts';
import { csvHead, csvLines, type TableColumns } from './csv.ts';
import { jsonLines } from './json-lines.ts';
import { scalarPages, type ScalarStretch, surveyScalars } from './scalar-pages.ts';

/** The files that a long table can be written as. */
export type TableFormat = 'csv' | 'jsonl' | 'arrow' | 'parquet';

/** The result of a table export. */
export interface TableExport {
  readonly path: string;
  readonly points: number;
  readonly bytes: number;
  /** Superseded points that were not requested. */
  readonly leftOut: number;
}

/**
 * Options of a table export. `superseded`: include points that were logged again later, with a
 * column that marks them.
 */
export interface TableWish {
  readonly format: TableFormat;
  readonly outdir: string;
  readonly superseded: boolean;
  /** CSV: names that start like a formula get an apostrophe. */
  readonly guard?: boolean;
}

/**
 * Writes every scalar point of an experiment as one long table `run, tag, step, wall_time, value`,
 * with a column `writer` if runs have several: `scalars.csv`, `.jsonl`, `.arrow` (an Arrow IPC
 * stream) or `.parquet`. Needs memory for one page.
 */
export async function exportTable(
  api: Api,
  experimentId: string,
  wish: TableWish,
  progress: (points: number) => void,
): Promise<TableExport> {
  makeFolders(wish.outdir);
  const path = join(wish.outdir, `scalars.${wish.format}`);
  const survey = await surveyScalars(api, experimentId);
  const columns = { superseded: wish.superseded, writer: survey.hasWriters };
  let points = 0;
  const counted = async function* (): AsyncGenerator<ScalarStretch> {
    for await (const stretch of scalarPages(api, experimentId, { superseded: wish.superseded })) {
      points += stretch.steps.length;
      progress(points);
      yield stretch;
    }
  };
  const pieces = await piecesOf(wish, counted(), columns);
  const bytes = await writeWhole(path, pieces);
  return { path, points, bytes, leftOut: wish.superseded ? 0 : survey.superseded };
}

async function piecesOf(
  { format, guard = false }: TableWish,
  stretches: AsyncIterable<ScalarStretch>,
  columns: TableColumns,
): Promise<AsyncIterable<Uint8Array>> {
  switch (format) {
    case 'csv':
      return csvPieces(stretches, columns, guard);
    case 'jsonl':
      return jsonPieces(stretches, columns);
    case 'arrow':
      return (await import('./arrow.ts')).arrowStream(stretches, columns);
    case 'parquet':
      return (await import('./parquet.ts')).parquetFile(stretches, columns);
  }
}

async function* jsonPieces(stretches: AsyncIterable<ScalarStretch>, columns: TableColumns): AsyncGenerator<Uint8Array> {
  for await (const stretch of inSlices(stretches)) yield Buffer.from(jsonLines(stretch, columns));
}

async function* csvPieces(stretches: AsyncIterable<ScalarStretch>, columns: TableColumns, guard: boolean): AsyncGenerator<Uint8Array> {
  yield Buffer.from(csvHead(columns));
  for await (const stretch of inSlices(stretches)) yield Buffer.from(csvLines(stretch, { guard, writer: columns.writer }));
}

/** Rows whose text is in memory at a time: that of a whole page is many times larger than its numbers. */
const rowsAtOnce = 8192;

async function* inSlices(stretches: AsyncIterable<ScalarStretch>): AsyncGenerator<ScalarStretch> {
  for await (const stretch of stretches) {
    for (let from = 0; from < stretch.steps.length; from += rowsAtOnce) {
      const to = from + rowsAtOnce;
      yield {
        ...stretch,
        steps: stretch.steps.subarray(from, to),
        wallTimes: stretch.wallTimes.subarray(from, to),
        values: stretch.values.subarray(from, to),
        superseded: stretch.superseded?.slice(from, to) ?? null,
      };
    }
  }
}

/** The file gets its final name when it is complete. */
async function writeWhole(path: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  const temporary = temporaryFor(path);
  const output: FileHandle = await open(temporary, 'wx');
  let bytes = 0;
  try {
    for await (const piece of pieces) {
      await output.writeFile(piece);
      bytes += piece.length;
    }
    await output.sync();
    await output.close();
    await rename(temporary, path);
    return bytes;
  } catch (error) {
    await output.close();
    await rm(temporary, { force: true });
    if ((error as NodeJS.ErrnoException).code === 'EISDIR') throw new CliError(exitCodes.failed, `${path} is a folder.`, { cause: error });
    throw error;
  }
}
