import type { Stats } from 'node:fs';
import { type FileHandle, readdir, readFile, stat } from 'node:fs/promises';
import { Problem } from '#model';

// IOV_MAX on Linux; the kernel rejects a longer list.
const maxBuffersPerWrite = 1024;

/** Writes all pieces at the file's position. */
export async function writeAll(file: FileHandle, pieces: readonly Uint8Array[]): Promise<void> {
  for (let at = 0; at < pieces.length; at += maxBuffersPerWrite) {
    let rest = pieces.slice(at, at + maxBuffersPerWrite);
    while (rest.length > 0) {
      // writev may write less than requested, e.g. on a nearly full disk.
      let { bytesWritten } = await file.writev(rest);
      while (rest.length > 0 && bytesWritten >= rest[0]!.length) {
        bytesWritten -= rest[0]!.length;
        rest = rest.slice(1);
      }
      if (bytesWritten > 0) rest = [rest[0]!.subarray(bytesWritten), ...rest.slice(1)];
    }
  }
}

/** Whether the file has exactly these bytes; it may have been damaged since it was written. */
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

/** Size of a file in bytes. Null if it does not exist. */
export async function sizeOf(file: string): Promise<number | null> {
  return (await statOf(file))?.size ?? null;
}

/** The stat of a file. Null if it does not exist. */
export async function statOf(file: string): Promise<Stats | null> {
  try {
    return await stat(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The names in a folder. Empty if it does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Converts a disk-full error to a problem. Returns any other error unchanged. */
export function asProblem(error: unknown): unknown {
  const code = codeOf(error);
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new Problem('insufficient-storage', "The server's disk is full. Try again later.", { cause: error });
}

/** An error's system code, such as ENOENT. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
