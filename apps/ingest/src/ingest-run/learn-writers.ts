import { crc32c } from '@node-rs/crc32';
import type { BlobStore } from '#blobs';
import type { RunId } from '#model';
import { readFileBytes } from '#originals';
import { isEvent } from '#points';
import { RecordReader } from '#records';
import { readFileWallTimes, type IngestScope, type RunFile } from '#store';

/** Stands for the checksum of a first record that cannot be read. */
const unknownHead = -1;

/** Maximum size of a first record that is read. */
const maxHeadBytes = 64 * 1024;

/** Whether points of the file were stored before its writer properties were recorded. */
export function isUnknown(file: RunFile): boolean {
  return file.parsedOffset > 0 && file.headCrc32c === null;
}

/**
 * Determines the unknown writer properties of files from their stored points and their first
 * record.
 */
export async function learnWriters(ingest: IngestScope, blobs: BlobStore, runId: RunId, files: readonly RunFile[]): Promise<RunFile[]> {
  if (!files.some(isUnknown)) return [...files];
  const times = await readFileWallTimes(ingest, runId);
  const learned: RunFile[] = [];
  for (const file of files) {
    if (!isUnknown(file)) {
      learned.push(file);
      continue;
    }
    const { crc, wallTime } = await readHead(ingest, blobs, file);
    const known = times.get(file.fileId);
    const all = [wallTime, known?.first ?? null, known?.last ?? null].filter((time): time is number => time !== null);
    learned.push({
      ...file,
      headCrc32c: crc,
      firstWallTime: all.length > 0 ? Math.min(...all) : null,
      lastWallTime: all.length > 0 ? Math.max(...all) : null,
    });
  }
  return learned;
}

/** The checksum and the wall time of the first record. */
async function readHead(
  scope: IngestScope,
  blobs: BlobStore,
  { fileId, parsedOffset }: RunFile,
): Promise<{ crc: number; wallTime: number | null }> {
  let found: { crc: number; wallTime: number | null } | null = null;
  try {
    const reader = new RecordReader({ isEvent });
    for await (const piece of readFileBytes({ scope, blobs, fileId, start: 0, end: Math.min(parsedOffset, maxHeadBytes) })) {
      reader.push(piece, (buffer, start, end) => {
        found ??= headOf(buffer.subarray(start, end));
        return true;
      });
      if (found !== null || reader.ended) break;
    }
  } catch {
    // Bytes that are damaged or not kept do not stop ingest; the file is then not compared with
    // others.
  }
  return found ?? { crc: unknownHead, wallTime: null };
}

/** The properties that a file's first record determines. */
export function headOf(record: Uint8Array): { crc: number; wallTime: number | null } {
  // Field 1 of an event is its wall time, a double. Every writer writes it first.
  const wallTime =
    record[0] === 0x09 && record.length >= 9
      ? new DataView(record.buffer, record.byteOffset, record.length).getFloat64(1, true)
      : Number.NaN;
  return { crc: crc32c(record), wallTime: Number.isFinite(wallTime) ? wallTime : null };
}
