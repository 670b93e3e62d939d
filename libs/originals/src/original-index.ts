/*
 * A joined original: the bytes of one event file in separately compressed frames, so that a range
 * can be read, followed by an index. All numbers are little-endian.
 *
 *   frames | index: for each frame  uint32 bytes of the file, uint32 stored bytes, uint32 CRC-32C of the bytes of the file, uint8 codec
 *          | trailer: uint64 bytes of the file, uint32 their CRC-32C, uint32 frames, uint32 CRC-32C of the index, "PLOT" 0 0 0 1
 */
import { crc32c } from '@node-rs/crc32';
import type { ByteRange } from '#blobs';
import { knownEncoding, type SegmentEncoding } from './segment-encoding.ts';

/** One frame of an original and its position. */
export interface Frame {
  /** Offset of the frame's first byte in the file. */
  readonly offset: number;
  readonly bytes: number;
  readonly crc32c: number;
  readonly storedOffset: number;
  readonly storedBytes: number;
  readonly codec: SegmentEncoding;
}

/** An original's metadata. */
export interface OriginalIndex {
  readonly bytes: number;
  readonly crc32c: number;
  readonly frames: readonly Frame[];
}

const entryBytes = 13;
const magic = Buffer.from('PLOT\0\0\0\x01', 'latin1');
export const trailerBytes = 28;

/** The last bytes of an object: the index and the trailer. */
export function encodeIndex(index: OriginalIndex): Buffer {
  const entries = Buffer.alloc(index.frames.length * entryBytes);
  index.frames.forEach((frame, i) => {
    let at = i * entryBytes;
    at = entries.writeUInt32LE(frame.bytes, at);
    at = entries.writeUInt32LE(frame.storedBytes, at);
    at = entries.writeUInt32LE(frame.crc32c, at);
    entries.writeUInt8(frame.codec, at);
  });
  const trailer = Buffer.alloc(trailerBytes);
  trailer.writeBigUInt64LE(BigInt(index.bytes), 0);
  trailer.writeUInt32LE(index.crc32c, 8);
  trailer.writeUInt32LE(index.frames.length, 12);
  trailer.writeUInt32LE(crc32c(entries), 16);
  magic.copy(trailer, 20);
  return Buffer.concat([entries, trailer]);
}

/**
 * Total bytes of the index and trailer, read from the trailer (the last {@link trailerBytes} of the
 * object).
 */
export function indexBytes(trailer: Buffer): number {
  if (trailer.length !== trailerBytes || !trailer.subarray(20).equals(magic))
    throw new OriginalDamaged('it does not end with a trailer that this version knows');
  return trailer.readUInt32LE(12) * entryBytes + trailerBytes;
}

/**
 * Reads the index and trailer. `tail` is exactly the last {@link indexBytes} of the object. Throws
 * {@link OriginalDamaged}, or `UnknownEncoding`.
 */
export function decodeIndex(tail: Buffer): OriginalIndex {
  const trailer = tail.subarray(tail.length - trailerBytes);
  const entries = tail.subarray(0, tail.length - trailerBytes);
  if (crc32c(entries) !== trailer.readUInt32LE(16)) throw new OriginalDamaged('the checksum of its index does not match');
  const frames: Frame[] = [];
  let offset = 0;
  let storedOffset = 0;
  for (let at = 0; at < entries.length; at += entryBytes) {
    const bytes = entries.readUInt32LE(at);
    const storedBytes = entries.readUInt32LE(at + 4);
    // The index has a checksum, so an unknown codec comes from a newer version.
    const codec = knownEncoding(entries.readUInt8(at + 12));
    frames.push({ offset, bytes, crc32c: entries.readUInt32LE(at + 8), storedOffset, storedBytes, codec });
    offset += bytes;
    storedOffset += storedBytes;
  }
  return { bytes: Number(trailer.readBigUInt64LE(0)), crc32c: trailer.readUInt32LE(8), frames };
}

/**
 * The stored bytes differ from what was stored, or are missing although the store responds. Reading
 * stops there, because any bytes returned would not be the user's. Thrown only for permanent
 * conditions; an unavailable or failing store is a `Problem`.
 */
export class OriginalDamaged extends Error {
  /** The range of the file that the damage makes unreadable. Null if unknown. */
  readonly range: ByteRange | null;

  constructor(what: string, { range = null, ...options }: ErrorOptions & { range?: ByteRange | null } = {}) {
    super(`the stored original is damaged: ${what}`, options);
    this.name = 'OriginalDamaged';
    this.range = range;
  }
}
