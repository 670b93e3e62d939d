import { createHash } from 'node:crypto';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, exitCodes } from '../exit.ts';
import type { Api } from '../http/api.ts';
import { asArray, asObject, intField, type Json, stringField } from '../http/json.ts';
import { safeRelativePath } from '../local/safe-path.ts';
import { makeFolders, temporaryFor } from '../local/write-file.ts';

/** What the service wrote, downloaded and verified. */
export interface JobExport {
  readonly points: number;
  readonly bytes: number;
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
  /** The service had the export already. */
  readonly reused: boolean;
}

/** A part of a file that one request downloads; a request that fails is sent again for its part. */
const partBytes = 8 * 1024 * 1024;
const pollMs = 500;

/**
 * Has the service write an export, waits for it, and downloads its files and `manifest.json`. Every
 * file gets its name once its SHA-256 matches the manifest.
 */
export async function exportByJob(
  api: Api,
  experimentId: string,
  format: string,
  outdir: string,
  progress: (text: string) => void,
): Promise<JobExport> {
  const path = `/experiments/${experimentId}/exports`;
  let job = await api.send('POST', path, 'Requesting an export', { format });
  const reused = stringField(job, 'state') === 'finished';
  const at = `${path}/${stringField(job, 'id')}`;
  for (let state = stringField(job, 'state'); state !== 'finished'; state = stringField(job, 'state')) {
    if (state === 'failed') throw failed(job);
    progress(state === 'queued' ? 'the export is queued …' : `${shareOf(job)} of the export is written …`);
    await sleep(pollMs);
    job = await api.get(at, 'Reading the progress of an export');
  }
  const { body } = await api.answer('GET', `${at}/manifest`, 'Reading the manifest');
  const manifest = JSON.parse(body.toString()) as Json;
  const files = asArray(manifest['files'], 'files').map((item) => {
    const file = asObject(item, 'files');
    return { path: stringField(file, 'path'), bytes: intField(file, 'bytes'), sha256: stringField(file, 'sha256') };
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  let done = 0;
  for (const [number, file] of files.entries()) {
    await download(api, `${at}/files/${number}`, join(outdir, safeRelativePath(file.path)), file, (more) => {
      done += more;
      progress(`${Math.floor((100 * done) / Math.max(1, bytes))} % is downloaded …`);
    });
  }
  makeFolders(outdir);
  await writeFile(join(outdir, 'manifest.json'), body);
  return { points: intField(manifest, 'points'), bytes, files, reused };
}

async function download(
  api: Api,
  path: string,
  target: string,
  { bytes, sha256 }: { readonly bytes: number; readonly sha256: string },
  progress: (bytes: number) => void,
): Promise<void> {
  makeFolders(dirname(target));
  const temporary = temporaryFor(target);
  const output = await open(temporary, 'wx');
  const hash = createHash('sha256');
  try {
    for (let start = 0; start < bytes; start += partBytes) {
      const range = `bytes=${start}-${Math.min(bytes, start + partBytes) - 1}`;
      const { body } = await api.answer('GET', path, 'Downloading an export', { headers: { range, 'if-range': `"${sha256}"` } });
      hash.update(body);
      await output.writeFile(body);
      progress(body.length);
    }
    if (hash.digest('hex') !== sha256)
      throw new CliError(exitCodes.failed, `${target} did not arrive as the service wrote it. Run the command again.`);
    await output.sync();
    await output.close();
    await rename(temporary, target);
  } catch (error) {
    await output.close();
    await rm(temporary, { force: true });
    throw error;
  }
}

function shareOf(job: Json): string {
  const total = intField(job, 'total_points');
  return total === 0 ? '0 %' : `${Math.floor((100 * intField(job, 'points')) / total)} %`;
}

function failed(job: Json): CliError {
  const problem = typeof job['problem'] === 'string' ? job['problem'] : 'internal';
  return new CliError(exitCodes.failed, `The service could not write the export (${problem}). Without --job, the command line writes it.`, {
    code: problem,
  });
}
