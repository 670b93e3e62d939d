import { crc32c } from '@node-rs/crc32';
import { type BlobStore, originalBytes } from '#blobs';
import type { FileId } from '#model';
import { combineCrc32c } from '#records';
import { readFile, readSegmentChecksums, type AnyScope } from '#store';
import { receivedFromKept } from './kept-crc32c.ts';
import { OriginalReader } from './original-reader.ts';
import { readFileBytes } from './read-file-range.ts';

/**
 * CRC-32C of the first `bytes` durable bytes of a file, as received. Combines the checksums of
 * segments and frames, and reads only the bytes of the segment or frame that `bytes` cuts. Null if
 * it can no longer be computed, because a deletion rewrote or dropped these bytes and more of the
 * file.
 */
export async function prefixCrc32c(file: { scope: AnyScope; blobs: BlobStore; fileId: FileId }, bytes: number): Promise<number | null> {
  const { scope, blobs, fileId } = file;
  const known = await readFile(scope, fileId);
  if (!known || bytes > known.durableOffset) throw new RangeError(`file ${fileId} does not have ${bytes} durable bytes`);
  if (bytes === known.durableOffset) return known.crc32c;
  if (bytes < Math.max(known.droppedBytes, known.rewrittenBytes)) return null;
  if (known.droppedBytes > 0 && known.receivedCrc32c === null) return null;

  let crc = known.droppedBytes > 0 ? known.receivedCrc32c! : 0;
  let position = known.droppedBytes;
  const add = (part: { crc32c: number; length: number }): void => {
    crc = combineCrc32c(crc, part.crc32c, part.length);
    position += part.length;
  };
  if (known.originalKey !== null) {
    const { index } = await OriginalReader.open(blobs, scope.tenantId, known.originalKey);
    for (const frame of index.frames) if (position + frame.bytes <= bytes) add({ crc32c: frame.crc32c, length: frame.bytes });
  }
  if (known.originalKey === null || position === originalBytes(known.originalKey)) {
    const { crc32c: segmentsCrc, length } = await combineSegments(scope, fileId, position, bytes);
    add({ crc32c: segmentsCrc, length });
  }
  if (position < bytes) {
    for await (const piece of readFileBytes({ ...file, start: position, end: bytes })) crc = crc32c(piece, crc);
  }
  return receivedFromKept(known, crc, bytes);
}

async function combineSegments(scope: AnyScope, fileId: FileId, start: number, end: number): Promise<{ crc32c: number; length: number }> {
  let crc = 0;
  let length = 0;
  for await (const segment of readSegmentChecksums(scope, fileId, start, end)) {
    crc = combineCrc32c(crc, segment.crc32c, segment.length);
    length += segment.length;
  }
  return { crc32c: crc, length };
}
