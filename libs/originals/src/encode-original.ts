import { constants, zstdCompressSync } from 'node:zlib';
import { crc32c } from '@node-rs/crc32';
import { combineCrc32c } from '#records';
import { encodeIndex, type Frame } from './original-index.ts';
import { findWholeRecords, packRecords } from './record-planes.ts';
import type { SegmentEncoding } from './segment-encoding.ts';

/**
 * File bytes in one frame. A larger frame compresses only slightly better (4.8 instead of 4.9 bytes
 * per point at 4 MiB), and this size occupies the event loop for only a few milliseconds.
 */
const frameBytes = 1024 * 1024;

/**
 * Converts an event file's bytes, in pieces of any size, into the pieces of a joined original.
 * Holds a few frames in memory.
 */
export async function* encodeOriginal(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const frames: Frame[] = [];
  let offset = 0;
  let crc = 0;
  let storedOffset = 0;
  for await (const cut of cutFrames(pieces)) {
    const { codec, stored } = encodeFrame(cut);
    const frame = { offset, bytes: cut.bytes.length, crc32c: crc32c(cut.bytes), storedOffset, storedBytes: stored.length, codec };
    frames.push(frame);
    offset += frame.bytes;
    storedOffset += frame.storedBytes;
    crc = combineCrc32c(crc, frame.crc32c, frame.bytes);
    yield stored;
  }
  yield encodeIndex({ bytes: offset, crc32c: crc, frames });
}

interface CutFrame {
  readonly bytes: Buffer;
  /** Whether the frame starts and ends at record boundaries, according to the record lengths. */
  readonly wholeRecords: boolean;
}

/**
 * Cuts at record boundaries where they can be found. Records that are too long for a frame, and
 * everything after a damaged length, are cut anywhere.
 */
async function* cutFrames(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<CutFrame> {
  let pending: Buffer = Buffer.alloc(0);
  /** How many bytes at the start of `pending` contain no record start. */
  let unframed = 0;
  function* cut(atEnd: boolean): Generator<CutFrame> {
    while (pending.length >= frameBytes || (atEnd && pending.length > 0)) {
      const frame = pending.subarray(0, frameBytes);
      if (unframed === 0) {
        const { end, next } = findWholeRecords(frame);
        if (end > 0) {
          yield { bytes: frame.subarray(0, end), wholeRecords: true };
          pending = pending.subarray(end);
          continue;
        }
        unframed = next ?? Infinity;
      }
      const bytes = frame.subarray(0, Math.min(frame.length, unframed));
      yield { bytes, wholeRecords: false };
      pending = pending.subarray(bytes.length);
      unframed -= bytes.length;
    }
  }
  // Live files consist of many short pieces; appending them one at a time would copy each piece
  // many times.
  let arrived: Uint8Array[] = [];
  let arrivedBytes = 0;
  for await (const piece of pieces) {
    arrived.push(piece);
    arrivedBytes += piece.length;
    if (pending.length + arrivedBytes < frameBytes) continue;
    pending = Buffer.concat([pending, ...arrived]);
    arrived = [];
    arrivedBytes = 0;
    yield* cut(false);
  }
  pending = Buffer.concat([pending, ...arrived]);
  yield* cut(true);
}

// Level 1 yields 5.3 bytes per point, and level 3 yields 4.9. Levels 6 and 9 also yield 4.9, but
// take two to three times as long.
const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

function encodeFrame({ bytes, wholeRecords }: CutFrame): { codec: SegmentEncoding; stored: Buffer } {
  const packed = wholeRecords ? packRecords(bytes) : null;
  // Compresses synchronously: joins run in low-priority ingest threads, unlike the threads that
  // Node compresses in.
  const stored = zstdCompressSync(packed ?? bytes, zstdOptions);
  if (stored.length >= bytes.length) return { codec: 0, stored: bytes };
  return { codec: packed ? 2 : 1, stored };
}
