/** The pending segments of a file, and those that can be read. */
import { OriginalDamaged } from '#originals';
import type { RunFile } from '#store';
import type { LostBytes } from './ingest-failure.ts';

/**
 * Whether an attempt would read this file: bytes are pending, damage has not ended it, and the
 * unfinished record is complete or its end is pending.
 */
export function canBeRead(file: RunFile): boolean {
  return file.pending.length > 0 && !file.ended && lastEnd(file) >= file.needsOffset;
}

/** Whether no part of the file was ever read, so no points of it are stored. */
export function isUnread(file: RunFile): boolean {
  return file.parsedOffset === 0 && file.headCrc32c === null && !file.ended;
}

/** The total pending bytes of these files. */
export function pendingBytes(files: readonly RunFile[]): number {
  return files.reduce((sum, { pending }) => pending.reduce((bytes, { length }) => bytes + length, sum), 0);
}

/** The end of the last pending segment. */
export function lastEnd(file: RunFile): number {
  const last = file.pending.at(-1)!;
  return last.offset + last.length;
}

/** Pending bytes of an ended file. The start of the first segment may have been read. */
export function bytesBehindEnd({ pending, parsedOffset }: RunFile): number {
  const all = pending.reduce((sum, segment) => sum + segment.length, 0);
  return all - Math.max(0, parsedOffset - pending[0]!.offset);
}

/** `bytes` up to where they are damaged; calls `onDamage` with details. */
export async function* untilDamage<Piece>(bytes: AsyncIterable<Piece>, onDamage: (damage: OriginalDamaged) => void): AsyncGenerator<Piece> {
  try {
    yield* bytes;
  } catch (error) {
    if (!(error instanceof OriginalDamaged)) throw error;
    onDamage(error);
  }
}

/** The bytes of a file that this damage makes unreadable. */
export function lostBytes({ fileId, name, parsedOffset }: RunFile, { range, message }: OriginalDamaged): LostBytes {
  const { start, end } = range ?? { start: parsedOffset, end: parsedOffset };
  return { fileId, name, parsedOffset, offset: start, bytes: end - start, detail: message };
}
