/**
 * The body of a chunk: its points, as stored.
 *
 * ```
 * byte 0    codec version (1)
 * byte 1    flags, see below
 * content   if `packed`, one zstd frame around all of it
 * 4 bytes   CRC-32 of everything before, little-endian
 *
 * content:  count                     varint, 1..4096
 *           first ordinal             varint
 *           [ordinals column]         integers: differences of neighbors
 *           first step                zigzag varint
 *           stride | [steps column]   zigzag varint | integers: differences of neighbors | 8 raw planes
 *           wall times                microseconds: first (zigzag varint), integers: differences
 *                                     bits: first (8 bytes), integers: differences of the float64 bits
 *                                     raw: 8 planes
 *           values                    4 planes of float32
 *                                     predicted float32: first (zigzag varint), integers: differences to the prediction
 *                                     8 planes of float64
 * ```
 *
 * Columns are stored separately, and regular columns need no space. *Integers* are stored as their
 * minimum and the byte planes that the remainders need. Wall times are stored as whole microseconds
 * if each is exactly k / 1e6, as with TensorFlow's clock. This takes two bits per point less than
 * the bits of the float64. Otherwise, they are stored as differences of the float64 bit patterns,
 * which within a power of two are times in units of the last place. Both forms are exact. If
 * neighbors are too far apart for either, wall times are stored as raw planes. Float32 values with
 * noisy low bytes are stored as their difference from a running mean of the preceding values, so a
 * falling curve costs no more than a flat one. This saves 0.3 bytes per point for a loss with 5 %
 * noise. Each plane is compressed separately (`planes.ts`). In a small chunk, that costs more than
 * it saves, so the planes stay raw and the whole content is compressed.
 */
import type { PointColumns } from '#model';
import { ByteReader, ByteWriter, unseal } from './bytes.ts';
import { type ChunkBody, CorruptChunkError, maxChunkPoints, type Ordinals } from './chunk.ts';
import {
  addPairDeltas,
  constantStride,
  fillRegular,
  int64Pairs,
  pairDeltas,
  readIntegers,
  readPairPlanes,
  writeIntegers,
  wordPlane,
  writePairPlanes,
  writeWordPlane,
} from './int64-column.ts';
import { compress, decompress, looksUniform, readPlane } from './planes.ts';
import { newPoints, slicePoints } from './point-slices.ts';
import { exactMicroseconds } from './wall-clock.ts';

const codecVersion = 1;
const flag = {
  stepsColumn: 1,
  stepsRaw: 2,
  ordinalsColumn: 4,
  wallMicroseconds: 8,
  wallRaw: 16,
  valuesFloat32: 32,
  valuesPredicted: 64,
  packed: 128,
} as const;

/**
 * Bodies with up to this many points are compressed as a whole, because frames for single planes
 * cost more than they save (measured).
 */
const maxPackedPoints = 256;
/** More than the maximum content of a packed body: 256 points in 32 planes and a few numbers. */
const maxPackedBytes = 16 * 1024;

const out = new ByteWriter(64 * 1024);
const integers = new Float64Array(maxChunkPoints);
const float32s = new Float32Array(maxChunkPoints);
const float32Words = new Uint32Array(float32s.buffer);
const float32Ints = new Int32Array(float32s.buffer);
const float64s = new Float64Array(maxChunkPoints);

/**
 * Encodes 1 to 4096 points in log order. Every number is restored bit for bit, except that all NaN
 * values become the same NaN. Throws RangeError if there are no points or too many. The columns
 * have equal length by contract.
 */
export function encodeBody(points: PointColumns, ordinals: Ordinals): Buffer {
  const count = points.steps.length;
  if (count < 1 || count > maxChunkPoints) throw new RangeError(`a chunk holds 1 to ${maxChunkPoints} points, not ${count}`);
  const packed = count <= maxPackedPoints;
  out.length = 2;
  let flags = 0;
  out.varint(count);
  flags |= writeOrdinals(ordinals, count, !packed);
  flags |= writeSteps(points.steps, !packed);
  flags |= writeWallTimes(points.wallTimes, !packed);
  flags |= writeValues(points.values, !packed);
  if (packed) {
    const frame = compress(out.buffer.subarray(2, out.length));
    if (frame.length < out.length - 2) {
      out.length = 2;
      out.bytes(frame);
      flags |= flag.packed;
    }
  }
  out.buffer[0] = codecVersion;
  out.buffer[1] = flags;
  return out.seal();
}

/**
 * Decodes a body; throws {@link CorruptChunkError} for anything that {@link encodeBody} does not
 * write. `room`: columns of {@link maxChunkPoints} entries to overwrite with the points; without
 * it, new columns are allocated.
 */
export function decodeBody(body: Uint8Array, room?: PointColumns): ChunkBody {
  const content = unseal(body);
  if (content[0] !== codecVersion) throw new CorruptChunkError(`codec version ${content[0]} is not known`);
  const flags = content[1]!;
  const input = flags & flag.packed ? new ByteReader(decompress(content.subarray(2), maxPackedBytes)) : new ByteReader(content, 2);
  const count = input.varint();
  if (count < 1 || count > maxChunkPoints) throw new CorruptChunkError(`a chunk cannot hold ${count} points`);
  const ordinals = readOrdinals(input, flags, count);
  const points = room ? slicePoints(room, 0, count) : newPoints(count);
  readSteps(input, flags, points.steps);
  readWallTimes(input, flags, points.wallTimes);
  readValues(input, flags, points.values);
  input.end();
  return { points, ordinals };
}

function writeOrdinals(ordinals: Ordinals, count: number, mayCompress: boolean): number {
  out.varint(ordinals.first);
  const { column } = ordinals;
  if (column === null) return 0;
  for (let i = 1; i < count; i++) integers[i - 1] = column[i]! - column[i - 1]!;
  writeIntegers(out, integers, count - 1, mayCompress);
  return flag.ordinalsColumn;
}

function readOrdinals(input: ByteReader, flags: number, count: number): Ordinals {
  const first = input.varint();
  if (!(flags & flag.ordinalsColumn)) return { first, column: null };
  readIntegers(input, integers, count - 1);
  const column = new Float64Array(count);
  let ordinal = first;
  column[0] = first;
  for (let i = 1; i < count; i++) {
    const delta = integers[i - 1]!;
    ordinal += delta;
    if (delta === 0 || ordinal < 0 || ordinal > Number.MAX_SAFE_INTEGER)
      throw new CorruptChunkError('the ordinals are not distinct numbers');
    column[i] = ordinal;
  }
  return { first, column };
}

function writeSteps(steps: BigInt64Array, mayCompress: boolean): number {
  out.int64(steps[0]!);
  const stride = constantStride(steps);
  if (stride !== null) {
    out.int64(stride);
    return 0;
  }
  const pairs = int64Pairs(steps);
  if (pairDeltas(pairs, integers)) {
    writeIntegers(out, integers, steps.length - 1, mayCompress);
    return flag.stepsColumn;
  }
  writePairPlanes(out, pairs, mayCompress);
  return flag.stepsColumn | flag.stepsRaw;
}

function readSteps(input: ByteReader, flags: number, steps: BigInt64Array): void {
  const count = steps.length;
  const first = input.int64();
  if (!(flags & flag.stepsColumn)) {
    const stride = input.int64();
    const last = first + stride * BigInt(count - 1);
    if (BigInt.asIntN(64, last) !== last) throw new CorruptChunkError('the steps exceed int64');
    fillRegular(steps, first, stride);
    return;
  }
  const pairs = int64Pairs(steps);
  if (flags & flag.stepsRaw) {
    readPairPlanes(input, pairs);
  } else {
    steps[0] = first;
    readIntegers(input, integers, count - 1);
    addPairDeltas(pairs, integers);
  }
}

function writeWallTimes(wallTimes: Float64Array, mayCompress: boolean): number {
  const count = wallTimes.length;
  if (microsecondDeltas(wallTimes, integers)) {
    out.signed(Math.round(wallTimes[0]! * 1e6));
    writeIntegers(out, integers, count - 1, mayCompress);
    return flag.wallMicroseconds;
  }
  const pairs = int64Pairs(wallTimes);
  if (pairDeltas(pairs, integers)) {
    out.bytes(new Uint8Array(wallTimes.buffer, wallTimes.byteOffset, 8));
    writeIntegers(out, integers, count - 1, mayCompress);
    return 0;
  }
  writePairPlanes(out, pairs, mayCompress);
  return flag.wallRaw;
}

function readWallTimes(input: ByteReader, flags: number, wallTimes: Float64Array): void {
  const count = wallTimes.length;
  if (flags & flag.wallMicroseconds) {
    let microseconds = input.signed();
    wallTimes[0] = microseconds / 1e6;
    readIntegers(input, integers, count - 1);
    for (let i = 1; i < count; i++) {
      microseconds += integers[i - 1]!;
      wallTimes[i] = microseconds / 1e6;
    }
  } else if (flags & flag.wallRaw) {
    readPairPlanes(input, int64Pairs(wallTimes));
  } else {
    new Uint8Array(wallTimes.buffer, wallTimes.byteOffset, 8).set(input.bytes(8));
    readIntegers(input, integers, count - 1);
    addPairDeltas(int64Pairs(wallTimes), integers);
  }
}

/**
 * Writes the differences in whole microseconds to `deltas`. Returns false as soon as a wall time is
 * not exactly k / 1e6.
 */
function microsecondDeltas(wallTimes: Float64Array, deltas: Float64Array): boolean {
  let previous = 0;
  for (let i = 0; i < wallTimes.length; i++) {
    const microseconds = exactMicroseconds(wallTimes[i]!);
    if (microseconds !== microseconds) return false;
    if (i > 0) deltas[i - 1] = microseconds - previous;
    previous = microseconds;
  }
  return true;
}

function writeValues(values: Float64Array, mayCompress: boolean): number {
  const count = values.length;
  if (narrow(values)) {
    if (mayCompress && lowBytesAreNoise(count)) {
      out.signed(float32Ints[0]!);
      predictionErrors(count);
      writeIntegers(out, integers, count - 1, true);
      return flag.valuesFloat32 | flag.valuesPredicted;
    }
    for (let shift = 0; shift < 32; shift += 8) writeWordPlane(out, float32Words, shift, count, mayCompress);
    return flag.valuesFloat32;
  }
  for (let i = 0; i < count; i++) {
    const value = values[i]!;
    float64s[i] = value === value ? value : Number.NaN;
  }
  writePairPlanes(out, int64Pairs(float64s.subarray(0, count)), mayCompress);
  return 0;
}

function readValues(input: ByteReader, flags: number, values: Float64Array): void {
  const count = values.length;
  if (!(flags & flag.valuesFloat32)) {
    readPairPlanes(input, int64Pairs(values));
    return;
  }
  if (flags & flag.valuesPredicted) {
    readPredicted(input, count);
    for (let i = 0; i < count; i++) values[i] = float32s[i]!;
    return;
  }
  const plane0 = readPlane(input, count);
  const plane1 = readPlane(input, count);
  const plane2 = readPlane(input, count);
  const plane3 = readPlane(input, count);
  for (let i = 0; i < count; i++) float32Words[i] = plane0[i]! | (plane1[i]! << 8) | (plane2[i]! << 16) | (plane3[i]! << 24);
  for (let i = 0; i < count; i++) values[i] = float32s[i]!;
}

/** Copies the values to `float32s`. Returns false as soon as a value is not exactly a float32. */
function narrow(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    float32s[i] = value;
    if (float32s[i] === value) continue;
    if (value === value) return false;
    float32s[i] = Number.NaN;
  }
  return true;
}

/**
 * The running mean is computed over the bits of the float32 as int32. These bits rise with the
 * magnitude, so noise of a few percent spreads over the same number of parts of 2^23 anywhere on
 * the curve. The newest number weighs 1/8, which costs 0.05 bits per point on flat noise, so that
 * the mean follows trends.
 */
const meanShift = 3;

function predictionErrors(count: number): void {
  let mean = float32Ints[0]!;
  for (let i = 1; i < count; i++) {
    const int = float32Ints[i]!;
    integers[i - 1] = int - mean;
    // Cannot overflow int32: both terms are weighted parts of int32 numbers.
    mean = (mean - (mean >> meanShift) + (int >> meanShift)) | 0;
  }
}

function readPredicted(input: ByteReader, count: number): void {
  let mean = input.signed() | 0;
  float32Ints[0] = mean;
  readIntegers(input, integers, count - 1);
  for (let i = 1; i < count; i++) {
    const int = (mean + integers[i - 1]!) | 0;
    float32Ints[i] = int;
    mean = (mean - (mean >> meanShift) + (int >> meanShift)) | 0;
  }
}

/**
 * Whether the low bytes look like noise. Values that repeat or come from a small set have regular
 * low bytes, which a prediction would only obscure.
 */
function lowBytesAreNoise(count: number): boolean {
  return looksUniform(wordPlane(float32Words, 0, count)) && looksUniform(wordPlane(float32Words, 8, count));
}
