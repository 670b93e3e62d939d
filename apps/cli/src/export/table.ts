import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExperimentId } from '#model';
import { type ScalarRange, type TableFormat, tablePieces } from '#tables';
import type { Api } from '../http/api.ts';
import { makeFolders, temporaryFor } from '../local/write-file.ts';
import type { ContentSelection } from './content-selection.ts';
import { finishFile } from './finish-file.ts';
import { scalarPages, surveyScalars } from './scalar-pages.ts';

/** The result of a table export. */
export interface TableExport {
  readonly path: string;
  readonly points: number;
  readonly bytes: number;
  /** Number of superseded points that were not requested. */
  readonly leftOut: number;
}

/**
 * The content of a table, and its output file. `superseded`: include points that were logged again
 * later, with a column that marks them.
 */
export interface TableSelection extends ContentSelection {
  readonly format: TableFormat;
  readonly outdir: string;
  readonly superseded: boolean;
  /** CSV: whether names that start like a formula are prefixed with an apostrophe. */
  readonly guard?: boolean;
}

/**
 * Writes every scalar point of an experiment, or of some runs and tags, as one long table `run,
 * tag, step, wall_time, value`, with a column `writer` if a run has several writers. The file is
 * `scalars.csv`, `.jsonl`, `.arrow` (an Arrow IPC stream) or `.parquet`. Needs memory for one page.
 */
export async function exportTable(
  api: Api,
  experimentId: ExperimentId,
  selection: TableSelection,
  progress: (points: number) => void,
): Promise<TableExport> {
  makeFolders(selection.outdir);
  const path = join(selection.outdir, `scalars.${selection.format}`);
  const survey = await surveyScalars(api, experimentId, selection);
  const columns = { superseded: selection.superseded, writer: survey.hasWriters };
  const { runs, tags, superseded } = selection;
  const content = { superseded, ...(runs && { runs }), ...(tags && { tags }) };
  let points = 0;
  const counted = async function* (): AsyncGenerator<ScalarRange> {
    for await (const range of scalarPages(api, experimentId, content)) {
      points += range.steps.length;
      progress(points);
      yield range;
    }
  };
  const pieces = await tablePieces(counted(), { format: selection.format, columns, guard: selection.guard ?? false });
  const bytes = await writeWhole(path, pieces);
  return { path, points, bytes, leftOut: selection.superseded ? 0 : survey.superseded };
}

/** Writes a file, which gets its final name when it is complete. */
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
    await finishFile(temporary, path);
    return bytes;
  } catch (error) {
    await output.close();
    await rm(temporary, { force: true });
    throw error;
  }
}
