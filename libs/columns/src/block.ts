import { promisify } from 'node:util';
import zlib from 'node:zlib'; // no named import: Node before 22.15 has no zstd, and the CLI loads this file there
import { limits } from '#model';
import { BadBlock, damaged } from './bad-block.ts';
import { putUint32, uint32 } from './framing.ts';
import { packRange } from './pack-range.ts';
import { RangeDecoder } from './range-decoder.ts';
import { RangeItems } from './range-items.ts';

/*
 * A block, the body of the content coding:
 *
 *   uint8 version | uint32 bytes of the range | uint32 CRC-32C of the range | uint32 bytes of the
 *   packed range | one zstd frame of the packed range (sections.ts)
 */
const prefixBytes = 13;

/** The name of the content coding. */
export const columnsCoding = 'plotline-columns';

/** The written version, in the first byte; all earlier versions can be read. */
export const columnsVersion = limits.columnsVersion;

/** Maximum number of bytes by which a packed range exceeds the range. */
const packedOverhead = 64;

// Adds a checksum of the packed range. Readers of columns do not restore the bytes, so they need it
// to detect damage to a stored block.
const writeOptions = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1, [zlib.constants.ZSTD_c_checksumFlag]: 1 } };

/**
 * Encodes a range of an event file. `crc32c`: the range's checksum. Returns null if the range does
 * not get shorter. Packing occupies the calling thread for about 0.15 µs per scalar; compression
 * does not occupy it. Needs zstd (Node 22.15).
 */
export async function encodeBlock(range: Uint8Array, crc32c: number): Promise<Buffer | null> {
  const packed = packRange(range);
  if (packed.length > range.length + packedOverhead) return null;
  const frame = await promisify(zlib.zstdCompress)(packed, writeOptions);
  if (prefixBytes + frame.length >= range.length) return null;
  const block = Buffer.allocUnsafe(prefixBytes + frame.length);
  block[0] = columnsVersion;
  putUint32(block, 1, range.length);
  putUint32(block, 5, crc32c);
  putUint32(block, 9, packed.length);
  block.set(frame, prefixBytes);
  return block;
}

/** The prefix of a block. */
export interface BlockPrefix {
  /** Bytes of the range. */
  readonly bytes: number;
  /** CRC-32C of the range, as computed by the sender. */
  readonly crc32c: number;
  /** Bytes of the packed range. */
  readonly packedBytes: number;
}

/**
 * Reads a block's prefix for a range of at most `maxBytes`. Decoding takes `bytes` and
 * `packedBytes` of memory, and little more. Throws `BadBlock`.
 */
export function readPrefix(block: Uint8Array, maxBytes: number): BlockPrefix {
  if (block.length < prefixBytes) throw damaged('it is too short');
  if (block[0] !== columnsVersion)
    throw new BadBlock('unknown-version', `The block has version ${block[0]}; this service reads version ${columnsVersion}.`);
  const prefix = { bytes: uint32(block, 1), crc32c: uint32(block, 5), packedBytes: uint32(block, 9) };
  if (prefix.bytes > maxBytes) throw new BadBlock('too-large', `The range has ${prefix.bytes} bytes; the limit is ${maxBytes}.`);
  if (prefix.packedBytes > prefix.bytes + packedOverhead) throw damaged('its packed form is too long');
  return prefix;
}

/**
 * Decompresses a block, off the event loop, and returns a decoder for its range. The caller
 * compares the CRC-32C of the decoded bytes with the prefix. Throws `BadBlock`.
 */
export async function openBlock(block: Uint8Array, maxBytes: number): Promise<RangeDecoder> {
  const { bytes, packedBytes } = readPrefix(block, maxBytes);
  return new RangeDecoder(await unzip(block.subarray(prefixBytes), packedBytes), bytes);
}

/**
 * Returns the items of a block that was decoded before, without restoring its bytes. Throws
 * `BadBlock` if the block has changed since: it is no longer a block of `bytes` bytes with this
 * CRC-32C, or its checksum does not match.
 */
export async function openItems(
  block: Uint8Array,
  { bytes, crc32c }: { readonly bytes: number; readonly crc32c: number },
): Promise<RangeItems> {
  const prefix = readPrefix(block, bytes);
  if (prefix.bytes !== bytes || prefix.crc32c !== crc32c) throw damaged('it is not a block of these bytes');
  return new RangeItems(await unzip(block.subarray(prefixBytes), prefix.packedBytes));
}

// A frame can request a window of gigabytes. 2^24 covers the largest packed range.
const readOptions: zlib.ZstdOptions = { chunkSize: 256 * 1024, info: true, params: { [zlib.constants.ZSTD_d_windowLogMax]: 24 } };

/**
 * The bit of a frame's header that announces a checksum after the content (RFC 8878, 3.1.1.1.1).
 */
const checksumBit = 4;

function unzip(frame: Uint8Array, bytes: number): Promise<Buffer> {
  if (frame.length < 5 || (frame[4]! & checksumBit) === 0) return Promise.reject(damaged('its frame has no checksum'));
  return new Promise((resolve, reject) => {
    zlib.zstdDecompress(frame, { ...readOptions, maxOutputLength: Math.max(bytes, 1) }, (error, result) => {
      if (error)
        return reject(
          isOutOfMemory(error) ? error : new BadBlock('damaged', 'The block is damaged: it cannot be unzipped.', { cause: error }),
        );
      const { buffer, engine } = result as unknown as { buffer: Buffer; engine: { bytesWritten: number } }; // the types lack `info`
      if (buffer.length !== bytes || engine.bytesWritten !== frame.length) return reject(damaged('its frame has another length'));
      resolve(buffer);
    });
  });
}

/** Insufficient memory proves nothing about the block. */
function isOutOfMemory(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return /memory_?allocation|allocation failed|ENOMEM/i.test(`${code} ${error.message}`);
}
