/** A file's pending segments, and which of them can be read. */
import { OriginalDamaged } from '#originals';
import type { RunFile } from '#store';
import type { LostBytes } from './ingest-failure.ts';

/**
 * Whether an attempt would read this file. It would if bytes are pending, if no damage has ended
 * the file, and if the unfinished record is complete or its end is pending.
 */
export function canBeRead(file: RunFile): boolean {
  return file.pending.length > 0 && !file.ended && lastEnd(file) >= file.needsOffset;
}

/**
 * Whether no part of the file has ever been read, which means that none of its points are stored.
 */
export function isUnread(file: RunFile): boolean {
  return file.parsedOffset === 0 && file.headCrc32c === null && !file.ended;
}

/** Total pending bytes of these files. */
export function pendingBytes(files: readonly RunFile[]): number {
  return files.reduce((sum, { pending }) => pending.reduce((bytes, { length }) => bytes + length, sum), 0);
}

/** The end of the last pending segment. */
export function lastEnd(file: RunFile): number {
  const last = file.pending.at(-1)!;
  return last.offset + last.length;
}

/** Pending bytes of an ended file. The start of the first segment may already have been read. */
export function bytesBehindEnd({ pending, parsedOffset }: RunFile): number {
  const all = pending.reduce((sum, segment) => sum + segment.length, 0);
  return all - Math.max(0, parsedOffset - pending[0]!.offset);
}

/** Yields `bytes` up to where they are damaged. Calls `onDamage` with details. */
export async function* untilDamage<Piece>(bytes: AsyncIterable<Piece>, onDamage: (damage: OriginalDamaged) => void): AsyncGenerator<Piece> {
  try {
    yield* bytes;
  } catch (error) {
    if (!(error instanceof OriginalDamaged)) throw error;
    onDamage(error);
  }
}

/** The bytes of a file that become unreadable because of this damage. */
export function lostBytes({ fileId, name, parsedOffset }: RunFile, { range, message }: OriginalDamaged): LostBytes {
  const { start, end } = range ?? { start: parsedOffset, end: parsedOffset };
  return { fileId, name, parsedOffset, offset: start, bytes: end - start, detail: message };
}
