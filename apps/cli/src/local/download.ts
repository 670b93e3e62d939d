import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CliError, exitCodes } from '../exit.ts';
import type { Host } from '../host.ts';

/**
 * Writes a stream to a new file that only its owner can read, and returns its path. Never
 * overwrites a file or leaves a partial file.
 */
export async function downloadTo(host: Host, name: string, pieces: AsyncIterable<Buffer>): Promise<string> {
  const path = resolve(host.cwd, name);
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  try {
    await pipeline(Readable.from(pieces), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new CliError(exitCodes.failed, `${path} already exists and was not overwritten.`, { code: 'exists' });
    await rm(path, { force: true });
    throw error;
  }
  return path;
}
