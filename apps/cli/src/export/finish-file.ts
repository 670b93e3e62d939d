import { existsSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { CliError, exitCodes } from '../exit.ts';

const compareBytes = 1024 * 1024;

/** The error for a file that exists with other content. */
export function wouldOverwrite(path: string): CliError {
  return new CliError(exitCodes.failed, `${path} already exists with different content and was not overwritten. Choose another --outdir.`, {
    code: 'would-overwrite',
  });
}

/**
 * Gives a complete file its final name. A file that already has this name is not overwritten:
 * identical content is fine, and different content is an error. The caller removes `temporary`
 * after an error.
 */
export async function finishFile(temporary: string, path: string): Promise<void> {
  if (!existsSync(path)) return rename(temporary, path);
  if (statSync(path).isDirectory()) throw new CliError(exitCodes.failed, `${path} is a folder.`, { code: 'would-overwrite' });
  if (!(await haveSameContent(temporary, path))) throw wouldOverwrite(path);
  await rm(temporary);
}

async function haveSameContent(one: string, other: string): Promise<boolean> {
  const files = [await open(one), await open(other)] as const;
  try {
    const [a, b] = [Buffer.alloc(compareBytes), Buffer.alloc(compareBytes)];
    if ((await files[0].stat()).size !== (await files[1].stat()).size) return false;
    for (let at = 0; ;) {
      const { bytesRead } = await files[0].read(a, 0, compareBytes, at);
      if (bytesRead === 0) return true;
      const same = await files[1].read(b, 0, bytesRead, at);
      if (same.bytesRead !== bytesRead || !a.subarray(0, bytesRead).equals(b.subarray(0, bytesRead))) return false;
      at += bytesRead;
    }
  } finally {
    for (const file of files) await file.close();
  }
}
