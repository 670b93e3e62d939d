import type { ByteReader, ByteWriter } from './bytes.ts';
import { CorruptChunkError } from './chunk.ts';
import { readPlane, writePlane } from './planes.ts';

/**
 * Columns of int64 (steps, and wall times by the bits of their float64) without a BigInt per point.
 * A BigInt costs about 50 ns, and an addition of two halves about 1 ns.
 */
export const two32 = 2 ** 32;

/** Deltas between neighbors are below 2^51 in magnitude, so their range is exact in a double. */
const maxHighDelta = 2 ** 18;

/** An int64 or float64 column as little-endian pairs (low, high). */
export function int64Pairs(column: BigInt64Array | Float64Array): Int32Array {
  return new Int32Array(column.buffer, column.byteOffset, column.length * 2);
}

/**
 * The constant difference between neighboring steps, or null if there is none or it does not fit in
 * an int64. A column of one step has stride 0n, so `step(i) = first + i · stride` holds whenever
 * the stride is not null.
 */
export function constantStride(steps: BigInt64Array): bigint | null {
  const count = steps.length;
  if (count < 2) return 0n;
  const first = steps[0]!;
  const stride = steps[1]! - first;
  if (BigInt.asIntN(64, stride) !== stride) return null;
  // Rules out columns that only look regular because int64 wraps around.
  if (steps[count - 1]! - first !== stride * BigInt(count - 1)) return null;
  // Because of asIntN, V8 compiles this to int64 arithmetic without a BigInt in memory (measured:
  // 0.8 ns per step).
  for (let i = 2; i < count; i++) if (BigInt.asIntN(64, steps[i]! - steps[i - 1]!) !== stride) return null;
  return stride;
}

/**
 * Fills a column with first, first + stride, …; the caller must ensure that it fits in int64,
 * otherwise it wraps.
 */
export function fillRegular(steps: BigInt64Array, first: bigint, stride: bigint): void {
  const pairs = int64Pairs(steps);
  const strideLow = Number(BigInt.asUintN(32, stride));
  const strideHigh = Number(BigInt.asIntN(32, stride >> 32n));
  let low = Number(BigInt.asUintN(32, first));
  let high = Number(BigInt.asIntN(32, first >> 32n));
  for (let i = 0; i < pairs.length; i += 2) {
    pairs[i] = low;
    pairs[i + 1] = high;
    low += strideLow;
    high = (high + strideHigh + (low >= two32 ? 1 : 0)) | 0;
    low >>>= 0;
  }
}

/**
 * The int64 number `i` of `pairs` minus number `j` of `reference`; NaN if the difference may not be
 * exact.
 */
export function pairDelta(pairs: Int32Array, i: number, reference: Int32Array, j: number): number {
  const highDelta = pairs[2 * i + 1]! - reference[2 * j + 1]!;
  if (highDelta > maxHighDelta || highDelta < -maxHighDelta) return Number.NaN;
  return highDelta * two32 + ((pairs[2 * i]! >>> 0) - (reference[2 * j]! >>> 0));
}

/**
 * Undoes {@link pairDelta}: number `i` of `pairs` becomes number `j` of `reference` plus `delta`.
 * Wraps at 64 bits.
 */
export function addPairDelta(pairs: Int32Array, i: number, reference: Int32Array, j: number, delta: number): void {
  const deltaHigh = Math.floor(delta / two32);
  const low = (reference[2 * j]! >>> 0) + (delta - deltaHigh * two32);
  pairs[2 * i] = low;
  pairs[2 * i + 1] = reference[2 * j + 1]! + deltaHigh + (low >= two32 ? 1 : 0);
}

/**
 * Writes the n - 1 differences between neighbors to `deltas`. Returns false if a difference is too
 * large to be exact; raw planes are then written.
 */
export function pairDeltas(pairs: Int32Array, deltas: Float64Array): boolean {
  const count = pairs.length / 2;
  for (let i = 1; i < count; i++) {
    const delta = pairDelta(pairs, i, pairs, i - 1);
    if (delta !== delta) return false;
    deltas[i - 1] = delta;
  }
  return true;
}

/** Undoes {@link pairDeltas}: `pairs[0..1]` must be set; computes the other numbers. */
export function addPairDeltas(pairs: Int32Array, deltas: Float64Array): void {
  const count = pairs.length / 2;
  for (let i = 1; i < count; i++) addPairDelta(pairs, i, pairs, i - 1, deltas[i - 1]!);
}

let planeScratch = new Uint8Array(4096);
let lowScratch = new Uint32Array(4096);

function scratchFor(count: number): void {
  if (lowScratch.length >= count) return;
  planeScratch = new Uint8Array(2 * count);
  lowScratch = new Uint32Array(2 * count);
}

/**
 * Writes `count` exact integers (|x| ≤ 2^51): the smallest (zigzag varint), the number of byte
 * planes that the others need above it, and those planes, lowest first.
 */
export function writeIntegers(out: ByteWriter, integers: Float64Array, count: number, mayCompress: boolean): void {
  let min = count > 0 ? integers[0]! : 0;
  let max = min;
  for (let i = 1; i < count; i++) {
    const integer = integers[i]!;
    if (integer < min) min = integer;
    else if (integer > max) max = integer;
  }
  let planes = 0;
  for (let range = max - min; range > 0; range = Math.floor(range / 256)) planes++;
  out.signed(min);
  out.byte(planes);
  if (planes === 0) return;
  scratchFor(count);
  const words = lowScratch;
  for (let i = 0; i < count; i++) words[i] = (integers[i]! - min) >>> 0;
  for (let plane = 0; plane < planes; plane++) {
    if (plane === 4) for (let i = 0; i < count; i++) words[i] = Math.floor((integers[i]! - min) / two32);
    writeWordPlane(out, words, 8 * (plane & 3), count, mayCompress);
  }
}

/** Reads what {@link writeIntegers} wrote into the first `count` elements of `integers`. */
export function readIntegers(input: ByteReader, integers: Float64Array, count: number): void {
  const min = input.signed();
  const planes = input.byte();
  if (planes > 7) throw new CorruptChunkError('a column of integers has more than 7 planes');
  if (planes < 2) integers.fill(min, 0, count);
  let plane = 0;
  if (planes >= 2) {
    // Two planes at a time: nearly all columns have two or three.
    const low = readPlane(input, count);
    const high = readPlane(input, count);
    for (let i = 0; i < count; i++) integers[i] = min + (low[i]! | (high[i]! << 8));
    plane = 2;
  }
  for (; plane < planes; plane++) {
    const bytes = readPlane(input, count);
    const scale = 256 ** plane;
    for (let i = 0; i < count; i++) integers[i]! += bytes[i]! * scale;
  }
}

/** Writes the byte at `shift` of each of the first `count` words as a plane. */
export function writeWordPlane(out: ByteWriter, words: Uint32Array, shift: number, count: number, mayCompress: boolean): void {
  writePlane(out, wordPlane(words, shift, count), mayCompress);
}

/**
 * The byte at `shift` of each of the first `count` words; valid until the next call into this
 * module.
 */
export function wordPlane(words: Uint32Array, shift: number, count: number): Uint8Array {
  scratchFor(count);
  const plane = planeScratch;
  for (let i = 0; i < count; i++) plane[i] = words[i]! >>> shift;
  return plane.subarray(0, count);
}

/** Writes each half of `pairs` as four planes. */
export function writePairPlanes(out: ByteWriter, pairs: Int32Array, mayCompress: boolean): void {
  const count = pairs.length / 2;
  scratchFor(count);
  const plane = planeScratch;
  for (let half = 0; half < 2; half++) {
    for (let shift = 0; shift < 32; shift += 8) {
      for (let i = 0, at = half; i < count; i++, at += 2) plane[i] = pairs[at]! >>> shift;
      writePlane(out, plane.subarray(0, count), mayCompress);
    }
  }
}

/** Reads what {@link writePairPlanes} wrote. */
export function readPairPlanes(input: ByteReader, pairs: Int32Array): void {
  const count = pairs.length / 2;
  pairs.fill(0); // planes are or-ed into it, and it may have been used before
  for (let half = 0; half < 2; half++) {
    for (let shift = 0; shift < 32; shift += 8) {
      const plane = readPlane(input, count);
      for (let i = 0, at = half; i < count; i++, at += 2) pairs[at]! |= plane[i]! << shift;
    }
  }
}
