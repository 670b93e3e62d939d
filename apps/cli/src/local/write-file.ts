import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Replaces a file whole: a reader sees the old content or the new one, also after a power cut. Folders are made with mode 0700, the file with 0600. */
export function replaceFile(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const fd = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(fd, content);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

/** A name in the folder of a file for its bytes while they come. Nobody's file has it: one called `NAME.part` may be a person's own. Open it with `wx`. */
export function temporaryFor(path: string): string {
  return join(dirname(path), `.plotline-${randomBytes(8).toString('hex')}.part`);
}

/** Makes a rename durable; where folders cannot be opened (Windows) the file system does it alone. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
