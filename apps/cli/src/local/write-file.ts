import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Replaces a file atomically: a reader sees the old or the new content, even after a power failure.
 * Creates folders with mode 0700, the file with 0600.
 */
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
 * Creates a folder and its parents. Node's recursive `mkdir` never returns if a folder gives ENOENT
 * although its parent exists, as below /proc: it creates the parent over and over.
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

/**
 * A temporary name in a file's folder, for incoming bytes. The name is unique, because `NAME.part`
 * could be a user's own file. Open it with `wx`.
 */
export function temporaryFor(path: string): string {
  return join(dirname(path), `.plotline-${randomBytes(8).toString('hex')}.part`);
}

/**
 * Makes a rename durable. On Windows, folders cannot be opened and the file system does this
 * itself.
 */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
