// zstd is not imported by name, because the CLI also loads this file on Node 20, which has no zstd.
// The CLI does not compress there.
import zlib, { constants } from 'node:zlib';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { CorruptChunkError } from './chunk.ts';

/**
 * A byte plane is one byte of each number of a column. It is written as a descriptor (varint) and
 * its bytes. 0 means uncompressed. 1 means one byte, the value of all. 2 means one byte, the most
 * common value, and the exceptions. n ≥ 3 means a zstd frame of n bytes. Planes are compressed
 * separately because zstd then gives each its own code table: this takes 2.70 instead of 2.92 bytes
 * per float32 of noise.
 */
const raw = 0;
const constant = 1;
const sparse = 2;

/**
 * With at most one exception per this many bytes, listing the exceptions is as short as zstd and
 * saves the call.
 */
const bytesPerException = 64;

/**
 * A zstd frame adds about 12 bytes to its content; planes up to this length are stored
 * uncompressed.
 */
const minZstdBytes = 24;

// node:zlib would allocate its default chunk (16 KiB) for each call; a plane of a chunk needs 4
// KiB.
const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize: 8192 };

/** Compresses with zstd, level 1. */
export function compress(bytes: Uint8Array): Buffer {
  return zlib.zstdCompressSync(bytes, zstdOptions);
}

/**
 * Decompresses at most `maxBytes`; throws {@link CorruptChunkError} if there are more or the frame
 * is damaged.
 */
export function decompress(frame: Uint8Array, maxBytes: number): Buffer {
  try {
    return zlib.zstdDecompressSync(frame, { chunkSize: 8192, maxOutputLength: maxBytes });
  } catch (error) {
    throw new CorruptChunkError('a zstd frame cannot be read', { cause: error });
  }
}

/**
 * Writes one plane. If `mayCompress` is false, the plane stays raw, for blocks that are compressed
 * as a whole.
 */
export function writePlane(out: ByteWriter, plane: Uint8Array, mayCompress: boolean): void {
  if (isConstant(plane)) {
    out.byte(constant);
    out.byte(plane[0] ?? 0);
    return;
  }
  if (mayCompress && plane.length >= minZstdBytes) {
    const look = lookAt(plane);
    if (look === 'mostly-one' && writeSparse(out, plane)) return;
    if (look !== 'uniform' && writeZstd(out, plane)) return;
  }
  out.byte(raw);
  out.bytes(plane);
}

/** Reads a plane of exactly `length` bytes. The result may share memory with the input. */
export function readPlane(input: ByteReader, length: number): Uint8Array {
  const descriptor = input.varint();
  if (descriptor === raw) return input.bytes(length);
  if (descriptor === constant) return new Uint8Array(length).fill(input.byte());
  if (descriptor === sparse) return readSparse(input, length);
  const plane = decompress(input.bytes(descriptor), length);
  if (plane.length !== length) throw new CorruptChunkError(`a plane has ${plane.length} bytes instead of ${length}`);
  return plane;
}

/** Whether a plane looks like uniform noise. */
export function looksUniform(plane: Uint8Array): boolean {
  return lookAt(plane) === 'uniform';
}

function writeZstd(out: ByteWriter, plane: Uint8Array): boolean {
  const frame = compress(plane);
  if (frame.length >= plane.length) return false;
  out.varint(frame.length);
  out.bytes(frame);
  return true;
}

/**
 * Writes the common byte and the number of exceptions; then, for each exception, how many common
 * bytes come before it, and its byte.
 */
function writeSparse(out: ByteWriter, plane: Uint8Array): boolean {
  const common = plane[0] === plane[1] ? plane[0]! : plane[2]!;
  let exceptions = 0;
  for (let i = 0; i < plane.length; i++) if (plane[i] !== common) exceptions++;
  if (exceptions * bytesPerException > plane.length) return false;
  out.byte(sparse);
  out.byte(common);
  out.varint(exceptions);
  let from = 0;
  for (let i = 0; i < plane.length; i++) {
    if (plane[i] === common) continue;
    out.varint(i - from);
    out.byte(plane[i]!);
    from = i + 1;
  }
  return true;
}

function readSparse(input: ByteReader, length: number): Uint8Array {
  const plane = new Uint8Array(length).fill(input.byte());
  let at = 0;
  for (let left = input.varint(); left > 0; left--) {
    at += input.varint();
    if (at >= length) throw new CorruptChunkError('an exception is beyond the end of its plane');
    plane[at++] = input.byte();
  }
  return plane;
}

function isConstant(plane: Uint8Array): boolean {
  const first = plane[0];
  for (let i = 1; i < plane.length; i++) if (plane[i] !== first) return false;
  return true;
}

const maxSample = 512;
const minSample = 256;
const histogram = new Uint16Array(256);

/**
 * Guesses from a sample which encoding pays off. `uniform`: like noise (the low bytes of measured
 * numbers), where a zstd call takes 15 µs and saves nothing. Among m bytes of uniform noise, m · (m
 * − 1) / 256 ordered pairs are equal, with a standard deviation of the square root of twice that.
 * Clearly more equal pairs mean that a code table helps; clearly fewer mean that the bytes count
 * up, which zstd encodes as repeats.
 */
function lookAt(plane: Uint8Array): 'uniform' | 'mostly-one' | 'other' {
  if (plane.length < minSample) return 'other';
  const sample = Math.min(maxSample, plane.length);
  const stride = Math.floor(plane.length / sample);
  histogram.fill(0);
  let equalPairs = 0;
  for (let i = 0, at = 0; i < sample; i++, at += stride) {
    equalPairs += 2 * histogram[plane[at]!]!++;
  }
  const expected = (sample * (sample - 1)) / 256;
  const deviation = Math.sqrt(2 * expected);
  if (equalPairs > expected - 4 * deviation && equalPairs < expected + 2.5 * deviation) return 'uniform';
  // With 5 % exceptions, 0.9 of the pairs are equal.
  return equalPairs > 0.9 * sample * (sample - 1) ? 'mostly-one' : 'other';
}
