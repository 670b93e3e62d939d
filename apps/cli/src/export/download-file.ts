import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CliError, exitCodes } from '../exit.ts';
import type { Api } from '../http/api.ts';
import type { HttpResponse } from '../http/http-client.ts';
import { makeFolders, temporaryFor } from '../local/write-file.ts';
import { finishFile } from './finish-file.ts';

/** The content of an exported file. */
export interface FileContent {
  /** Relative, with slashes. */
  readonly path: string;
  readonly bytes: number;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** Bytes per download request; a failed request is retried. */
const partBytes = 8 * 1024 * 1024;
/** Parts requested ahead while one part is being written. */
const partsAhead = 2;

/** Downloads an exported file in parts. The file gets its final name once its SHA-256 matches. */
export async function downloadFile(
  api: Api,
  from: string,
  target: string,
  { bytes, sha256 }: FileContent,
  progress: (bytes: number) => void,
): Promise<void> {
  makeFolders(dirname(target));
  const temporary = temporaryFor(target);
  const output = await open(temporary, 'wx');
  const hash = createHash('sha256');
  try {
    const request = (start: number): Promise<HttpResponse> => {
      const range = `bytes=${start}-${Math.min(bytes, start + partBytes) - 1}`;
      const response = api.response('GET', from, 'Downloading an export', { headers: { range, 'if-range': `"${sha256}"` } });
      response.catch(() => undefined); // thrown where it is awaited, unless an error comes before
      return response;
    };
    const coming: Promise<HttpResponse>[] = [];
    let start = 0;
    const requestAhead = (): void => {
      for (; coming.length < partsAhead && start < bytes; start += partBytes) coming.push(request(start));
    };
    for (requestAhead(); coming.length > 0;) {
      const { body } = await coming.shift()!;
      requestAhead(); // on its way while this part is written
      hash.update(body);
      await output.writeFile(body);
      progress(body.length);
    }
    if (hash.digest('hex') !== sha256)
      throw new CliError(exitCodes.failed, `${target} was corrupted during the download. Run the command again.`);
    await output.sync();
    await output.close();
    await finishFile(temporary, target);
  } catch (error) {
    await output.close();
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Whether a file has exactly this content. */
export async function hasContent(path: string, { bytes, sha256 }: FileContent): Promise<boolean> {
  const { size } = await stat(path);
  if (size !== bytes) return false;
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('hex') === sha256;
}
