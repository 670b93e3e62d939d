/**
 * A block of a run's live tail: the new points of all its series from one commit, as one row (architecture.md, 2). Points are in log
 * order and may repeat steps: whoever reads or cuts the tail applies the restart rule.
 *
 * ```
 * byte 0    version (1)
 * byte 1    1 when the content is one zstd frame
 * content   below
 * 4 bytes   CRC-32 of everything before, little-endian
 *
 * content:  wall time unit            0 float64 bits, 1 microseconds
 *           sources                   count; for each: file id, offset of its last START
 *           entries                   count; then columns: source, series id, first ordinal, points, flags
 *           steps, per entry          nothing when they equal those of the entry before; else zigzag differences
 *           wall times, per entry     zigzag differences to the entry before where the steps are equal, else along the entry
 *           values                    byte planes of all float32 entries, then of all float64 entries
 * ```
 *
 * The tags of one training step share the step and have wall times a few µs apart: so a column is told by its difference to the column
 * before it, and a point takes about 10 bytes even when each series has one.
 */
import type { PointColumns } from '#model';
import { ByteReader, ByteWriter, unseal } from './bytes.ts';
import { CorruptChunkError } from './chunk.ts';
import { compress, decompress } from './planes.ts';
import { concatPoints } from './point-slices.ts';
import { exactMicroseconds } from './wall-clock.ts';

/** New points of one series from one file, between two STARTs of that file. */
export interface TailEntry {
  readonly seriesId: string;
  readonly fileId: string;
  /** How many points the file gave this series before. */
  readonly firstOrdinal: number;
  /** Offset of the last START before these points in their file; 0 without one. */
  readonly afterOffset: number;
  readonly points: PointColumns;
}

const version = 1;
/** Bytes of a block's content before compression, and so the most that reading one can take. */
export const maxTailBytes = 64 * 1024 * 1024;
const entryFlag = { sameSteps: 1, float32: 2 } as const;

const out = new ByteWriter(64 * 1024);

/**
 * Encodes the entries in the order given (entries of one series in one session: rising ordinals). Entries without points are left out.
 * Throws RangeError when the block would be larger than {@link maxTailBytes}.
 */
export function encodeTail(entries: readonly TailEntry[]): Buffer {
  const filled = entries.filter((entry) => entry.points.steps.length > 0);
  out.length = 2;
  const micros = filled.every((entry) => entry.points.wallTimes.every((wallTime) => exactMicroseconds(wallTime) === exactMicroseconds(wallTime)));
  out.byte(micros ? 1 : 0);
  const flags = writeEntries(filled);
  filled.forEach((entry, i) => {
    if (!(flags[i]! & entryFlag.sameSteps)) writeDeltas(entry.points.steps);
  });
  writeWallTimes(filled, flags, micros);
  writeValues(filled, flags);
  if (out.length - 2 > maxTailBytes) throw new RangeError(`a tail block holds at most ${maxTailBytes} bytes`);
  const frame = compress(out.buffer.subarray(2, out.length));
  const shorter = frame.length < out.length - 2;
  if (shorter) {
    out.length = 2;
    out.bytes(frame);
  }
  out.buffer[0] = version;
  out.buffer[1] = shorter ? 1 : 0;
  return out.seal();
}

/** Decodes a block; throws {@link CorruptChunkError} for anything that {@link encodeTail} does not write. */
export function decodeTail(block: Uint8Array): TailEntry[] {
  const content = unseal(block);
  if (content[0] !== version) throw new CorruptChunkError(`tail version ${content[0]} is not known`);
  if (content[1]! > 1) throw new CorruptChunkError('a tail block has unknown flags');
  const input = content[1] === 1 ? new ByteReader(decompress(content.subarray(2), maxTailBytes)) : new ByteReader(content, 2);
  const micros = input.byte() === 1;
  const entries = readEntries(input);
  entries.forEach((entry, i) => {
    if (!(entry.flags & entryFlag.sameSteps)) readDeltas(input, entry.points.steps);
    else if (entries[i - 1]?.count === entry.count) entry.points.steps.set(entries[i - 1]!.points.steps);
    else throw new CorruptChunkError('a tail entry repeats steps that are not there');
  });
  readWallTimes(input, entries, micros);
  readValues(input, entries);
  input.end();
  return entries.map(({ flags: _flags, count: _count, ...entry }) => entry);
}

/** One block for several of the same run, oldest first: entries that follow one another in their series become one. */
export function mergeTails(blocks: readonly Uint8Array[]): Buffer {
  const groups = new Map<string, TailEntry[]>();
  for (const entry of blocks.flatMap((block) => decodeTail(block))) {
    const key = JSON.stringify([entry.seriesId, entry.fileId, entry.afterOffset]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return encodeTail([...groups.values()].flatMap(joinConsecutive));
}

function joinConsecutive(entries: readonly TailEntry[]): TailEntry[] {
  const joined: TailEntry[] = [];
  for (let from = 0; from < entries.length; ) {
    let to = from + 1;
    while (to < entries.length && entries[to]!.firstOrdinal === entries[to - 1]!.firstOrdinal + entries[to - 1]!.points.steps.length) to++;
    joined.push({ ...entries[from]!, points: concatPoints(entries.slice(from, to).map((entry) => entry.points)) });
    from = to;
  }
  return joined;
}

type DecodedEntry = TailEntry & { readonly flags: number; readonly count: number };

function writeEntries(entries: readonly TailEntry[]): number[] {
  const sources = new Map<string, number>();
  const sourceOf = entries.map((entry) => {
    const key = JSON.stringify([entry.fileId, entry.afterOffset]);
    const source = sources.get(key) ?? sources.size;
    sources.set(key, source);
    return source;
  });
  out.varint(sources.size);
  let known = 0;
  entries.forEach((entry, i) => {
    if (sourceOf[i] !== known) return;
    known++;
    writeId(entry.fileId);
    out.varint(entry.afterOffset);
  });
  out.varint(entries.length);
  for (const source of sourceOf) out.varint(source);
  for (const entry of entries) writeId(entry.seriesId);
  let previous = 0;
  for (const entry of entries) {
    out.signed(entry.firstOrdinal - previous);
    previous = entry.firstOrdinal;
  }
  for (const entry of entries) out.varint(entry.points.steps.length);
  const flags = entries.map((entry, i) => {
    const before = entries[i - 1];
    const same = before !== undefined && sameSteps(before.points.steps, entry.points.steps);
    return (same ? entryFlag.sameSteps : 0) | (entry.points.values.every(isFloat32) ? entryFlag.float32 : 0);
  });
  for (const flag of flags) out.byte(flag);
  return flags;
}

function readEntries(input: ByteReader): DecodedEntry[] {
  const sources: { fileId: string; afterOffset: number }[] = [];
  for (let left = countOf(input, 2); left > 0; left--) sources.push({ fileId: readId(input), afterOffset: input.varint() });
  const length = countOf(input, 5);
  const read = <T>(next: () => T): T[] => Array.from({ length }, next);
  const sourceOf = read(() => input.varint());
  const seriesIds = read(() => readId(input));
  let ordinal = 0;
  const firstOrdinals = read(() => (ordinal += input.signed()));
  const counts = read(() => input.varint());
  const flags = read(() => input.byte());
  // Each point takes at least four bytes of value, so no claim reserves more than the block could hold.
  if (counts.reduce((sum, count) => sum + count, 0) * 4 > input.remaining) throw new CorruptChunkError('a tail block claims too many points');
  return counts.map((count, i) => {
    const source = sources[sourceOf[i]!];
    if (source === undefined) throw new CorruptChunkError('a tail entry names a file that is not there');
    if (flags[i]! > 3) throw new CorruptChunkError('a tail entry has unknown flags');
    const firstOrdinal = firstOrdinals[i]!;
    if (!Number.isSafeInteger(firstOrdinal) || firstOrdinal < 0) throw new CorruptChunkError('a tail entry has an impossible ordinal');
    const points = { steps: new BigInt64Array(count), wallTimes: new Float64Array(count), values: new Float64Array(count) };
    return { seriesId: seriesIds[i]!, ...source, firstOrdinal, points, flags: flags[i]!, count };
  });
}

/** Reads a count of things that take at least `bytesEach`. */
function countOf(input: ByteReader, bytesEach: number): number {
  const count = input.varint();
  if (count * bytesEach > input.remaining) throw new CorruptChunkError('a tail block claims too many entries');
  return count;
}

/** Ids of the database are decimal; written as a number where that says the same, else as text behind a 0. */
function writeId(id: string): void {
  if (/^[1-9][0-9]{0,14}$/.test(id)) {
    out.varint(Number(id));
    return;
  }
  const text = Buffer.from(id);
  out.varint(0);
  out.varint(text.length);
  out.bytes(text);
}

function readId(input: ByteReader): string {
  const id = input.varint();
  return id > 0 ? String(id) : Buffer.from(input.bytes(input.varint())).toString();
}

function sameSteps(a: BigInt64Array, b: BigInt64Array): boolean {
  return a.length === b.length && Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
}

function bytesOf(column: BigInt64Array | Float64Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

/** Differences that wrap at 64 bits are as exact as any other, and fit the zigzag form. */
function writeDeltas(column: BigInt64Array): void {
  let previous = 0n;
  for (const step of column) {
    out.int64(BigInt.asIntN(64, step - previous));
    previous = step;
  }
}

function readDeltas(input: ByteReader, column: BigInt64Array): void {
  let previous = 0n;
  for (let i = 0; i < column.length; i++) {
    previous = BigInt.asIntN(64, previous + input.int64());
    column[i] = previous;
  }
}

/** Wall times as integers: whole microseconds, or the bits of the float64. */
function ticksOf(wallTimes: Float64Array, micros: boolean): BigInt64Array {
  if (micros) return BigInt64Array.from(wallTimes, (wallTime) => BigInt(Math.round(wallTime * 1e6)));
  return new BigInt64Array(wallTimes.buffer, wallTimes.byteOffset, wallTimes.length);
}

function writeWallTimes(entries: readonly TailEntry[], flags: readonly number[], micros: boolean): void {
  let before: BigInt64Array = new BigInt64Array(0);
  entries.forEach((entry, i) => {
    const ticks = ticksOf(entry.points.wallTimes, micros);
    const beside = (flags[i]! & entryFlag.sameSteps) !== 0;
    for (let j = 0; j < ticks.length; j++) {
      const reference = beside ? before[j]! : j > 0 ? ticks[j - 1]! : (before[0] ?? 0n);
      out.int64(BigInt.asIntN(64, ticks[j]! - reference));
    }
    before = ticks;
  });
}

function readWallTimes(input: ByteReader, entries: readonly DecodedEntry[], micros: boolean): void {
  let before: BigInt64Array = new BigInt64Array(0);
  for (const { points, flags, count } of entries) {
    const ticks = micros ? new BigInt64Array(count) : ticksOf(points.wallTimes, false);
    const beside = (flags & entryFlag.sameSteps) !== 0;
    for (let j = 0; j < count; j++) {
      const reference = beside ? before[j]! : j > 0 ? ticks[j - 1]! : (before[0] ?? 0n);
      ticks[j] = BigInt.asIntN(64, reference + input.int64());
    }
    if (micros) for (let j = 0; j < count; j++) points.wallTimes[j] = Number(ticks[j]!) / 1e6;
    before = ticks;
  }
}

function writeValues(entries: readonly TailEntry[], flags: readonly number[]): void {
  for (const float32 of [true, false]) {
    const chosen = entries.filter((_, i) => ((flags[i]! & entryFlag.float32) !== 0) === float32);
    const all = concatPoints(chosen.map((entry) => entry.points)).values.map((value) => (value === value ? value : Number.NaN));
    const width = float32 ? 4 : 8;
    const bytes = float32 ? new Uint8Array(Float32Array.from(all).buffer) : bytesOf(all);
    out.reserve(bytes.length);
    for (let plane = 0; plane < width; plane++) {
      for (let at = plane; at < bytes.length; at += width) out.buffer[out.length++] = bytes[at]!;
    }
  }
}

function readValues(input: ByteReader, entries: readonly DecodedEntry[]): void {
  for (const float32 of [true, false]) {
    const chosen = entries.filter((entry) => ((entry.flags & entryFlag.float32) !== 0) === float32);
    const count = chosen.reduce((sum, entry) => sum + entry.count, 0);
    const width = float32 ? 4 : 8;
    const planes = input.bytes(count * width);
    const bytes = new Uint8Array(count * width);
    for (let plane = 0, from = 0; plane < width; plane++) {
      for (let at = plane; at < bytes.length; at += width) bytes[at] = planes[from++]!;
    }
    const all = float32 ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer);
    let at = 0;
    for (const entry of chosen) {
      entry.points.values.set(all.subarray(at, at + entry.count));
      at += entry.count;
    }
  }
}

function isFloat32(value: number): boolean {
  return Object.is(Math.fround(value), value);
}
