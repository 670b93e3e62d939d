/**
 * The columns of a tail block (`tail.ts`), entry by entry in the order of the block.
 *
 * ```
 * steps        nothing where they equal those of the entry before; otherwise first (zigzag varint) and zigzag differences, or 8 bytes each
 * wall times   form: 0 8 bytes each, 1 microseconds, 2 float64 bits; then zigzag differences of these integers: where the steps equal
 *              those of the entry before, to its wall times one by one, otherwise along the entry. The first one: zigzag, or 8 bytes of bits
 * values       byte planes of all float32 entries, then of all float64 entries
 * ```
 */
import type { PointColumns } from '#model';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { CorruptChunkError } from './chunk.ts';
import { addPairDelta, int64Pairs, pairDelta } from './int64-column.ts';
import { exactMicroseconds } from './wall-clock.ts';

/** The points of one entry, and how its columns are written. */
export interface TailColumns {
  readonly points: PointColumns;
  readonly flags: number;
}

/** How the columns of an entry are written. */
export const tailFlag = { sameSteps: 1, stepsRaw: 2, float32: 4 } as const;
/** How the wall times of a block are written. */
export const wallForm = { raw: 0, microseconds: 1, bits: 2 } as const;

/** Chooses the form of each entry's columns. */
export function columnsOf(entries: readonly PointColumns[]): TailColumns[] {
  return entries.map((points, i) => {
    const before = entries[i - 1];
    let flags = points.values.every((value) => Object.is(Math.fround(value), value)) ? tailFlag.float32 : 0;
    if (before !== undefined && sameBytes(before.steps, points.steps)) flags |= tailFlag.sameSteps;
    else if (!deltasAreExact(points.steps)) flags |= tailFlag.stepsRaw;
    return { points, flags };
  });
}

export function writeSteps(out: ByteWriter, entries: readonly TailColumns[]): void {
  for (const { points, flags } of entries) {
    if (flags & tailFlag.sameSteps) continue;
    if (flags & tailFlag.stepsRaw) {
      out.bytes(bytesOf(points.steps));
      continue;
    }
    const pairs = int64Pairs(points.steps);
    out.int64(points.steps[0]!);
    for (let i = 1; i < points.steps.length; i++) out.signed(pairDelta(pairs, i, pairs, i - 1));
  }
}

export function readSteps(input: ByteReader, entries: readonly TailColumns[]): void {
  let before: BigInt64Array | null = null;
  for (const { points, flags } of entries) {
    before = readEntrySteps(input, points.steps.length, flags, before);
    points.steps.set(before);
  }
}

/** The steps of one entry; shares the column of the entry `before` if they are the same. */
export function readEntrySteps(input: ByteReader, count: number, flags: number, before: BigInt64Array | null): BigInt64Array {
  if (flags > 7) throw new CorruptChunkError('a tail entry has unknown flags');
  if (count === 0) throw new CorruptChunkError('a tail entry is empty');
  if (flags & tailFlag.sameSteps) {
    if (before?.length !== count) throw new CorruptChunkError('a tail entry repeats steps that do not exist');
    return before;
  }
  const steps = new BigInt64Array(count);
  if (flags & tailFlag.stepsRaw) {
    bytesOf(steps).set(input.bytes(steps.byteLength));
  } else {
    const pairs = int64Pairs(steps);
    steps[0] = input.int64();
    for (let i = 1; i < steps.length; i++) addPairDelta(pairs, i, pairs, i - 1, input.signed());
  }
  return steps;
}

export function writeWallTimes(out: ByteWriter, entries: readonly TailColumns[]): void {
  const start = out.length;
  for (const write of [writeMicroseconds, writeBits]) {
    if (write(out, entries)) return;
    out.length = start;
  }
  out.byte(wallForm.raw);
  for (const { points } of entries) out.bytes(bytesOf(points.wallTimes));
}

export function readWallTimes(input: ByteReader, entries: readonly TailColumns[]): void {
  const form = input.byte();
  if (form === wallForm.raw) {
    for (const { points } of entries) bytesOf(points.wallTimes).set(input.bytes(points.wallTimes.byteLength));
  } else if (form === wallForm.microseconds) readMicroseconds(input, entries);
  else if (form === wallForm.bits) readBits(input, entries);
  else throw new CorruptChunkError('a tail block has an unknown form of wall times');
}

export function writeValues(out: ByteWriter, entries: readonly TailColumns[]): void {
  for (const width of [4, 8]) {
    const chosen = entries.filter((entry) => widthOf(entry) === width);
    const all = width === 4 ? new Float32Array(pointsIn(chosen)) : new Float64Array(pointsIn(chosen));
    let at = 0;
    for (const { points } of chosen) {
      for (const value of points.values) all[at++] = value === value ? value : Number.NaN;
    }
    const bytes = bytesOf(all);
    out.reserve(bytes.length);
    for (let plane = 0; plane < width; plane++) {
      for (let i = plane; i < bytes.length; i += width) out.buffer[out.length++] = bytes[i]!;
    }
  }
}

export function readValues(input: ByteReader, entries: readonly TailColumns[]): void {
  for (const width of [4, 8]) {
    const chosen = entries.filter((entry) => widthOf(entry) === width);
    const planes = input.bytes(pointsIn(chosen) * width);
    const bytes = new Uint8Array(planes.length);
    let from = 0;
    for (let plane = 0; plane < width; plane++) {
      for (let i = plane; i < bytes.length; i += width) bytes[i] = planes[from++]!;
    }
    const all = width === 4 ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer);
    let at = 0;
    for (const { points } of chosen) {
      points.values.set(all.subarray(at, at + points.values.length));
      at += points.values.length;
    }
  }
}

function writeMicroseconds(out: ByteWriter, entries: readonly TailColumns[]): boolean {
  out.byte(wallForm.microseconds);
  let before = new Float64Array(1);
  for (const { points, flags } of entries) {
    const ticks = points.wallTimes.map(exactMicroseconds);
    for (let i = 0; i < ticks.length; i++) {
      const tick = ticks[i]!;
      if (tick !== tick) return false;
      out.signed(tick - (flags & tailFlag.sameSteps ? before[i]! : i > 0 ? ticks[i - 1]! : before[0]!));
    }
    before = ticks;
  }
  return true;
}

function readMicroseconds(input: ByteReader, entries: readonly TailColumns[]): void {
  const ticks = new Float64Array(entries.reduce((max, { points }) => Math.max(max, points.wallTimes.length), 1));
  for (const { points, flags } of entries) {
    const { wallTimes } = points;
    input.addSigned(ticks, wallTimes.length, (flags & tailFlag.sameSteps) === 0);
    for (let i = 0; i < wallTimes.length; i++) wallTimes[i] = ticks[i]! / 1e6;
  }
}

function writeBits(out: ByteWriter, entries: readonly TailColumns[]): boolean {
  out.byte(wallForm.bits);
  let before: Int32Array | null = null;
  for (const { points, flags } of entries) {
    const pairs = int64Pairs(points.wallTimes);
    const beside = (flags & tailFlag.sameSteps) !== 0;
    if (before === null) out.bytes(bytesOf(points.wallTimes.subarray(0, 1)));
    for (let i = before === null ? 1 : 0; i < points.wallTimes.length; i++) {
      const delta: number = beside
        ? pairDelta(pairs, i, before!, i)
        : i > 0
          ? pairDelta(pairs, i, pairs, i - 1)
          : pairDelta(pairs, 0, before!, 0);
      if (delta !== delta) return false;
      out.signed(delta);
    }
    before = pairs;
  }
  return true;
}

function readBits(input: ByteReader, entries: readonly TailColumns[]): void {
  let before: Int32Array | null = null;
  for (const { points, flags } of entries) {
    const pairs = int64Pairs(points.wallTimes);
    const beside = (flags & tailFlag.sameSteps) !== 0;
    if (before === null) bytesOf(points.wallTimes).set(input.bytes(8));
    for (let i = before === null ? 1 : 0; i < points.wallTimes.length; i++) {
      const delta = input.signed();
      if (beside) addPairDelta(pairs, i, before!, i, delta);
      else if (i > 0) addPairDelta(pairs, i, pairs, i - 1, delta);
      else addPairDelta(pairs, 0, before!, 0, delta);
    }
    before = pairs;
  }
}

function widthOf({ flags }: TailColumns): number {
  return flags & tailFlag.float32 ? 4 : 8;
}

function pointsIn(entries: readonly TailColumns[]): number {
  return entries.reduce((sum, { points }) => sum + points.values.length, 0);
}

function deltasAreExact(steps: BigInt64Array): boolean {
  const pairs = int64Pairs(steps);
  for (let i = 1; i < steps.length; i++) if (Number.isNaN(pairDelta(pairs, i, pairs, i - 1))) return false;
  return true;
}

function sameBytes(a: BigInt64Array, b: BigInt64Array): boolean {
  return a.length === b.length && Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
}

function bytesOf(column: BigInt64Array | Float32Array | Float64Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}
