import type { Stats } from 'node:fs';
import { type FileHandle, readdir, readFile, stat } from 'node:fs/promises';
import { Problem } from '#model';

// IOV_MAX on Linux; a longer list is refused by the kernel.
const maxBuffersPerWrite = 1024;

/** Writes all of the pieces at the file's position. */
export async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  for (let at = 0; at < pieces.length; at += maxBuffersPerWrite) {
    let rest = pieces.slice(at, at + maxBuffersPerWrite);
    while (rest.length > 0) {
      // writev may write less than asked, e.g. on a disk that is nearly full.
      let { bytesWritten } = await file.writev(rest);
      while (rest.length > 0 && bytesWritten >= rest[0]!.length) {
        bytesWritten -= rest[0]!.length;
        rest = rest.slice(1);
      }
      if (bytesWritten > 0) rest = [rest[0]!.subarray(bytesWritten), ...rest.slice(1)];
    }
  }
}

/** Whether the file has just these bytes; it may have been damaged since it was written. */
export async function holds(file: string, pieces: readonly Uint8Array[]): Promise<boolean> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if ((await sizeOf(file)) !== length) return false;
  const there = await readFile(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null; // deleted since
    throw error;
  });
  if (there?.length !== length) return false;
  let position = 0;
  return pieces.every((piece) => there.subarray(position, (position += piece.length)).equals(piece));
}

/** Bytes of a file; null when there is none. */
export async function sizeOf(file: string): Promise<number | null> {
  return (await statOf(file))?.size ?? null;
}

/** What the system knows of a file; null when there is none. */
export async function statOf(file: string): Promise<Stats | null> {
  try {
    return await stat(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The names in a folder; none when it is gone. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** A full disk as the problem that it is; everything else as it was. */
export function asProblem(error: unknown): unknown {
  const code = codeOf(error);
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new Problem('insufficient-storage', 'The disk of the server is full. Try again later.', { cause: error });
}

/** The system's code of an error, like ENOENT. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
