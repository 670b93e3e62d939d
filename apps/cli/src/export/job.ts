import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import type { ExperimentId } from '#model';
import { CliError, exitCodes } from '../exit.ts';
import type { Api } from '../http/api.ts';
import { asArray, asObject, intField, type Json, stringField } from '../http/json.ts';
import { placeFolders } from '../local/safe-path.ts';
import { makeFolders } from '../local/write-file.ts';
import type { ContentSelection } from './content-selection.ts';
import { downloadFile, type FileContent } from './download-file.ts';
import type { RenamedRun } from './events.ts';

/** A file that the service wrote, and its number in the manifest. */
export interface JobFile extends FileContent {
  readonly number: number;
  readonly path: string;
}

/** The manifest of an export, before any file is downloaded. */
export interface FinishedJob {
  /** The export's path in the API. */
  readonly at: string;
  readonly manifest: Json;
  /** `manifest.json`. */
  readonly manifestBytes: Buffer;
  readonly files: readonly JobFile[];
  /** Whether the export already existed on the service. */
  readonly reused: boolean;
}

/** An export, downloaded and verified. */
export interface JobExport {
  readonly points: number;
  readonly bytes: number;
  readonly files: readonly FileContent[];
  /** Runs with a different folder name. */
  readonly renamed: readonly RenamedRun[];
  readonly reused: boolean;
}

type Progress = (text: string) => void;

const pollMs = 500;

/**
 * Has the service write an export, waits for it, and downloads its files and `manifest.json`. Every
 * file gets its final name once its SHA-256 matches the manifest.
 */
export async function exportByJob(
  api: Api,
  experimentId: ExperimentId,
  request: { readonly format: string } & ContentSelection,
  outdir: string,
  progress: Progress,
): Promise<JobExport> {
  const job = await finishJob(api, experimentId, request, progress);
  const onBytes = countDownload(job.files, progress);
  const folders = placeFolders(job.files.map(({ path }) => runOf(path)));
  const renamed = new Map<string, RenamedRun>();
  for (const file of job.files) {
    const run = runOf(file.path);
    const { folder, isTaken } = folders.get(run)!;
    const path = join(folder, file.path.slice(file.path.lastIndexOf('/') + 1));
    if (path !== file.path && !renamed.has(run)) renamed.set(run, { run, path, reason: isTaken ? 'run-taken' : 'unsafe' });
    await downloadFile(api, fileOf(job, file), join(outdir, path), file, onBytes);
  }
  await writeManifest(outdir, job);
  return {
    points: intField(job.manifest, 'points'),
    bytes: bytesOf(job.files),
    files: job.files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 })),
    renamed: [...renamed.values()],
    reused: job.reused,
  };
}

/** The run of an exported event file; `.` for a file without a folder. */
function runOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? '.' : path.slice(0, end);
}

/** Has the service write an export, waits for it, and reads its manifest. */
export async function finishJob(
  api: Api,
  experimentId: ExperimentId,
  { format, runs, tags }: { readonly format: string } & ContentSelection,
  progress: Progress,
): Promise<FinishedJob> {
  const path = `/experiments/${experimentId}/exports`;
  let job = await api.send('POST', path, 'Requesting an export', { format, ...(runs && { runs }), ...(tags && { tags }) });
  const reused = stringField(job, 'state') === 'finished';
  const at = `${path}/${stringField(job, 'id')}`;
  for (let state = stringField(job, 'state'); state !== 'finished'; state = stringField(job, 'state')) {
    if (state === 'failed') throw failed(job);
    progress(state === 'queued' ? 'the export is queued …' : `${shareOf(job)} of the export is written …`);
    await sleep(pollMs);
    job = await api.get(at, 'Reading the progress of an export');
  }
  const { body } = await api.response('GET', `${at}/manifest`, 'Reading the manifest');
  const manifest = JSON.parse(body.toString()) as Json;
  const files = asArray(manifest['files'], 'files').map((item, number) => {
    const file = asObject(item, 'files');
    return { number, path: stringField(file, 'path'), bytes: intField(file, 'bytes'), sha256: stringField(file, 'sha256') };
  });
  return { at, manifest, manifestBytes: body, files, reused };
}

/** A file's path in the API. */
export function fileOf({ at }: FinishedJob, { number }: JobFile): string {
  return `${at}/files/${number}`;
}

/** Writes `manifest.json`, as the service wrote it. */
export async function writeManifest(outdir: string, { manifestBytes }: FinishedJob): Promise<void> {
  makeFolders(outdir);
  await writeFile(join(outdir, 'manifest.json'), manifestBytes);
}

/** Returns a callback for the bytes of each part. It shows the downloaded share of all files. */
export function countDownload(files: readonly JobFile[], progress: Progress): (bytes: number) => void {
  const all = Math.max(1, bytesOf(files));
  let done = 0;
  return (more) => {
    done += more;
    progress(`${Math.floor((100 * done) / all)} % is downloaded …`);
  };
}

function bytesOf(files: readonly JobFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Raw exports report progress in bytes, all other formats in points. */
function shareOf(job: Json): string {
  const unit = job['format'] === 'raw' ? 'bytes' : 'points';
  const all = intField(job, `total_${unit}`);
  return all === 0 ? '0 %' : `${Math.floor((100 * intField(job, unit)) / all)} %`;
}

function failed(job: Json): CliError {
  const problem = typeof job['problem'] === 'string' ? job['problem'] : 'internal';
  return new CliError(
    exitCodes.failed,
    `The service could not write the export (${problem}). Try again without --job: the CLI then writes the files.`,
    {
      code: problem,
    },
  );
}
