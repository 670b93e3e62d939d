import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Replaces a file whole: a reader sees the old content or the new one, also after a power cut. Folders are made with mode 0700, the file with 0600. */
export function replaceFile(path: string, content: string): void {
  makeFolders(dirname(path), 0o700);
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

/**
 * Makes a folder and those above it. `mkdir` of Node with `recursive` never returns where a folder says ENOENT although the one above it exists, as
 * below /proc: it makes the upper one again and again.
 */
export function makeFolders(path: string, mode?: number): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    const above = dirname(path);
    if (code !== 'ENOENT' || above === path || existsSync(above)) throw error;
    makeFolders(above, mode);
    mkdirSync(path, mode);
  }
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
