import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { constants, zstdCompress, zstdCompressSync } from 'node:zlib';
import { BadBlock, openBlock } from '#columns';
import { packRecords, unpackRecords } from './record-planes.ts';
import { unzstd } from './unzstd.ts';

/**
 * How the bytes of a segment are stored: 0 unchanged, 1 zstd, 2 zstd of packed records
 * (`record-planes.ts`), 3 a column block as sent (#columns).
 */
export type SegmentEncoding = 0 | 1 | 2 | 3;

/** Shorter segments barely compress. */
const minBytes = 256;
/**
 * Compressing this much takes less than 0.1 ms. Larger inputs are compressed off the event loop.
 */
const maxSyncBytes = 8 * 1024;

// A live run with 20 tags has 60 bytes per point. Level 1 reduces this to 19.6, or to 13.1 with
// packing; level 9 with packing reduces it to 12.2. For such small inputs, every level takes 25 µs.
const smallOptions = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };
const largeOptions = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
const compress = promisify(zstdCompress);

/**
 * The shorter form of a small segment, or null if neither form is shorter. Live training usually
 * writes such segments: a row of about 20 points per second.
 */
export async function shrinkSegment(bytes: Buffer): Promise<{ stored: Buffer; encoding: SegmentEncoding } | null> {
  if (bytes.length < minBytes) return null;
  // Loggers flush complete records, so each second's data usually starts and ends at record
  // boundaries.
  const packed = packRecords(bytes);
  const stored =
    bytes.length <= maxSyncBytes ? zstdCompressSync(packed ?? bytes, smallOptions) : await compress(packed ?? bytes, largeOptions);
  return stored.length < bytes.length ? { stored, encoding: packed ? 2 : 1 } : null;
}

/**
 * The bytes are stored in an encoding that this version does not know, e.g. a newer version's
 * encoding. They may be intact, and readable for a process that knows the encoding.
 */
export class UnknownEncoding extends Error {
  override readonly name = 'UnknownEncoding';

  constructor(encoding: number) {
    super(`bytes are stored in the encoding ${encoding}, which this version does not know`);
  }
}

/** Throws {@link UnknownEncoding} if this version does not know the encoding. */
export function knownEncoding(encoding: number): SegmentEncoding {
  if (encoding !== 0 && encoding !== 1 && encoding !== 2 && encoding !== 3) throw new UnknownEncoding(encoding);
  return encoding;
}

/**
 * Decodes a segment of `length` bytes. Throws if decoding fails. The caller verifies the checksum.
 */
export async function decodeSegment(stored: Buffer, encoding: number, length: number): Promise<Buffer> {
  const known = knownEncoding(encoding);
  if (known === 0) return stored;
  if (known === 1) return unzstd(stored, length);
  if (known === 3) return decodeBlock(stored, length);
  // The packed form stores a length (at most five bytes) instead of each record's framing (sixteen
  // bytes). So only the count can make the packed form longer.
  return unpackRecords(await unzstd(stored, length + 8), length);
}

/** Takes about a millisecond. */
const recordsPerTurn = 8192;

/** On the main thread, decodes in slices between other work. */
async function decodeBlock(stored: Buffer, length: number): Promise<Buffer> {
  const decoder = await openBlock(stored, length);
  while (!decoder.step(recordsPerTurn)) if (isMainThread) await nextTurn();
  return decoder.bytes;
}

/**
 * Whether {@link decodeSegment} failed for a reason other than damaged bytes: their encoding is
 * unknown, or memory was insufficient. A frame that requires more memory than any of ours
 * (`ZSTD_error_frameParameter_windowTooLarge`) is damaged.
 */
export function isNoDamage(error: unknown): boolean {
  if (error instanceof UnknownEncoding) return true;
  if (error instanceof BadBlock) return error.reason === 'unknown-version';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return error instanceof Error && /memory_?allocation|allocation failed|ENOMEM/i.test(`${code} ${error.message}`);
}
