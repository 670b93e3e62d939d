/**
 * A block of a run's live tail: the new points of its series from one commit, or from several, as
 * one row. Points are in log order and can repeat steps: the code that reads or cuts the tail
 * applies the restart rule.
 *
 * ```
 * byte 0    version (1)
 * byte 1    flags: 1 the content is one zstd frame, 2 the columns of entries are runs
 * content   below
 * 4 bytes   CRC-32 of everything before, little-endian
 *
 * content:  sources                   count; for each: file id, offset of its last START
 *           entries                   count; then columns: source, series id, first ordinal, points, flags; as runs see `number-runs.ts`
 *           steps, wall times, values see `tail-columns.ts`
 * ```
 *
 * The tags of one training step share the step and have wall times a few µs apart. So a column is
 * stored as its difference from the previous column, and a point takes less than 9 bytes even if
 * each series has only one point.
 */
import { type FileId, isFileId, isSeriesId, type PointColumns, type SeriesId } from '#model';
import { ByteReader, ByteWriter, unseal } from './bytes.ts';
import { CorruptChunkError } from './chunk.ts';
import { compress, decompress } from './planes.ts';
import { readRuns, writeRuns } from './number-runs.ts';
import { concatPoints } from './point-slices.ts';
import { type EntryColumns, readSelected } from './tail-selection.ts';
import {
  columnsOf,
  readSteps,
  readValues,
  readWallTimes,
  type TailColumns,
  writeSteps,
  writeValues,
  writeWallTimes,
} from './tail-columns.ts';

/** New points of one series from one file, between two STARTs of that file. */
export interface TailEntry {
  readonly seriesId: SeriesId;
  readonly fileId: FileId;
  /** How many points of this series the file had before. */
  readonly firstOrdinal: number;
  /** Offset of the last START before these points in their file; 0 if there is none. */
  readonly afterOffset: number;
  readonly points: PointColumns;
}

const version = 1;
const blockFlag = { zstd: 1, runs: 2 } as const;
/** Bytes of a block's content before compression, and thus the maximum memory for reading one. */
export const maxTailBytes = 64 * 1024 * 1024;

/**
 * Smaller blocks are not compressed. Blocks of a live run are smaller, because they end after a few
 * hundred points (`tail-parts.ts`), unless one series has far more. Compression saves about one
 * byte per point until the point moves to a chunk, but costs 25 µs for each chart that reads the
 * block, more than the rest of the read.
 */
const minPackedBytes = 16 * 1024;

const out = new ByteWriter(64 * 1024);

/**
 * Encodes the entries in the given order. The ordinals of one series and session must rise. Entries
 * without points are omitted. Throws RangeError if the block would be larger than {@link
 * maxTailBytes}.
 */
export function encodeTail(entries: readonly TailEntry[]): Buffer {
  const filled = entries.filter((entry) => entry.points.steps.length > 0);
  out.length = 2;
  const { columns, inRuns } = writeEntries(filled);
  writeSteps(out, columns);
  writeWallTimes(out, columns);
  writeValues(out, columns);
  if (out.length - 2 > maxTailBytes) throw new RangeError(`a tail block holds at most ${maxTailBytes} bytes`);
  out.buffer[0] = version;
  out.buffer[1] = (out.length - 2 >= minPackedBytes && pack() ? blockFlag.zstd : 0) | (inRuns ? blockFlag.runs : 0);
  return out.seal();
}

/** Compresses the content in place, if that makes it shorter. */
function pack(): boolean {
  const frame = compress(out.buffer.subarray(2, out.length));
  if (frame.length >= out.length - 2) return false;
  out.length = 2;
  out.bytes(frame);
  return true;
}

/**
 * Decodes a block, or only its `wanted` series in a fraction of the time. Throws {@link
 * CorruptChunkError} for anything that {@link encodeTail} does not write. Columns may share memory.
 */
export function decodeTail(block: Uint8Array, wanted: ReadonlySet<string> | null = null): TailEntry[] {
  const content = unseal(block);
  if (content[0] !== version) throw new CorruptChunkError(`tail version ${content[0]} is not known`);
  const flags = content[1]!;
  if (flags > (blockFlag.zstd | blockFlag.runs)) throw new CorruptChunkError('a tail block has unknown flags');
  const [bytes, start] = flags & blockFlag.zstd ? [decompress(content.subarray(2), maxTailBytes), 0] : [content, 2];
  const input = new ByteReader(bytes, start);
  const heads = readHeads(input, (flags & blockFlag.runs) !== 0);
  const isWanted = heads.map(({ seriesId }) => wanted === null || wanted.has(seriesId));
  if (isWanted.includes(false)) {
    const begin = input.position;
    const chosen = isWanted.includes(true) ? readSelected(input, heads, isWanted) : [];
    if (chosen) {
      if (chosen.length > 0) input.end();
      return chosen.flatMap((points, i) => (points ? [entryOf(heads[i]!, points)] : []));
    }
    input.position = begin;
  }
  return readAll(input, heads).filter((_, i) => isWanted[i]);
}

function readAll(input: ByteReader, heads: readonly EntryHead[]): TailEntry[] {
  const columns = heads.map(({ count, flags }) => ({
    points: { steps: new BigInt64Array(count), wallTimes: new Float64Array(count), values: new Float64Array(count) },
    flags,
  }));
  readSteps(input, columns);
  readWallTimes(input, columns);
  readValues(input, columns);
  input.end();
  return heads.map((head, i) => entryOf(head, columns[i]!.points));
}

/** An entry without its columns. */
interface EntryHead extends EntryColumns {
  readonly seriesId: SeriesId;
  readonly fileId: FileId;
  readonly firstOrdinal: number;
  readonly afterOffset: number;
}

function entryOf({ seriesId, fileId, afterOffset, firstOrdinal }: EntryHead, points: PointColumns): TailEntry {
  return { seriesId, fileId, afterOffset, firstOrdinal, points };
}

/**
 * Merges the entries of one run's blocks, oldest first: consecutive entries of a series become one
 * entry.
 */
export function mergeTails(blocks: readonly Uint8Array[]): TailEntry[] {
  const groups = new Map<string, TailEntry[]>();
  for (const entry of blocks.flatMap((block) => decodeTail(block))) {
    const key = JSON.stringify([entry.seriesId, entry.fileId, entry.afterOffset]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return [...groups.values()].flatMap(joinConsecutive);
}

function joinConsecutive(entries: readonly TailEntry[]): TailEntry[] {
  const joined: TailEntry[] = [];
  for (let from = 0; from < entries.length;) {
    let to = from + 1;
    while (to < entries.length && entries[to]!.firstOrdinal === entries[to - 1]!.firstOrdinal + entries[to - 1]!.points.steps.length) to++;
    joined.push({ ...entries[from]!, points: concatPoints(entries.slice(from, to).map((entry) => entry.points)) });
    from = to;
  }
  return joined;
}

function writeEntries(entries: readonly TailEntry[]): { readonly columns: TailColumns[]; readonly inRuns: boolean } {
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
  const columns = columnsOf(entries.map((entry) => entry.points));
  const inRuns = writeInRuns(entries, sourceOf, columns);
  if (!inRuns) writeEach(entries, sourceOf, columns);
  return { columns, inRuns };
}

/** Each number takes at least one byte: five for each entry. */
const minEntryBytes = 5;

/**
 * A commit of a live run has its series in order, all from one file and with the same number of
 * points, so runs need only a few bytes. Writes nothing if runs could take more than the other
 * form.
 */
function writeInRuns(entries: readonly TailEntry[], sources: readonly number[], columns: readonly TailColumns[]): boolean {
  if (entries.length === 0 || !entries.every(({ seriesId }) => isNumber(seriesId))) return false;
  const start = out.length;
  const ids = entries.map(({ seriesId }) => Number(seriesId));
  const ordinals = entries.map(({ firstOrdinal }) => firstOrdinal);
  const counts = entries.map(({ points }) => points.steps.length);
  const flags = columns.map((column) => column.flags);
  for (const column of [sources, ids, ordinals, counts, flags]) writeRuns(out, column);
  if (out.length - start <= entries.length * minEntryBytes) return true;
  out.length = start;
  return false;
}

function writeEach(entries: readonly TailEntry[], sourceOf: readonly number[], columns: readonly TailColumns[]): void {
  for (const source of sourceOf) out.varint(source);
  for (const entry of entries) writeId(entry.seriesId);
  let previous = 0;
  for (const entry of entries) {
    out.signed(entry.firstOrdinal - previous);
    previous = entry.firstOrdinal;
  }
  for (const entry of entries) out.varint(entry.points.steps.length);
  for (const { flags } of columns) out.byte(flags);
}

function readHeads(input: ByteReader, inRuns: boolean): EntryHead[] {
  const sources: { fileId: FileId; afterOffset: number }[] = [];
  for (let left = countOf(input, 2); left > 0; left--) sources.push({ fileId: fileIdOf(readId(input)), afterOffset: input.varint() });
  // Each entry has a point, and each point takes at least four bytes of value, so no count makes
  // the decoder allocate more than the block could hold.
  const length = countOf(input, inRuns ? minPointBytes : minEntryBytes);
  const { sourceOf, seriesIds, firstOrdinals, counts, flags } = inRuns ? readInRuns(input, length) : readEach(input, length);
  const points = counts.reduce((sum, count) => sum + count, 0);
  if (points * minPointBytes > input.remaining) throw new CorruptChunkError('a tail block claims too many points');
  const heads: EntryHead[] = [];
  for (let i = 0; i < length; i++) {
    const source = sources[sourceOf[i]!];
    if (source === undefined) throw new CorruptChunkError('a tail entry refers to a missing file');
    const firstOrdinal = firstOrdinals[i]!;
    if (!Number.isSafeInteger(firstOrdinal) || firstOrdinal < 0) throw new CorruptChunkError('a tail entry has an impossible ordinal');
    const { fileId, afterOffset } = source;
    heads.push({ seriesId: seriesIds[i]!, fileId, afterOffset, firstOrdinal, count: counts[i]!, flags: flags[i]! });
  }
  return heads;
}

const minPointBytes = 4;

/** The columns of entries, in their order. */
interface HeadColumns {
  readonly sourceOf: ArrayLike<number>;
  readonly seriesIds: readonly SeriesId[];
  readonly firstOrdinals: ArrayLike<number>;
  readonly counts: Float64Array;
  readonly flags: ArrayLike<number>;
}

function readInRuns(input: ByteReader, length: number): HeadColumns {
  const sourceOf = readRuns(input, length);
  const seriesIds = Array.from(readRuns(input, length), (id) => seriesIdOf(String(id)));
  return { sourceOf, seriesIds, firstOrdinals: readRuns(input, length), counts: readRuns(input, length), flags: readRuns(input, length) };
}

function readEach(input: ByteReader, length: number): HeadColumns {
  // One loop per column: a block of a live run has few points per entry, so per-entry overhead
  // would dominate the read.
  const sourceOf = new Float64Array(length);
  for (let i = 0; i < length; i++) sourceOf[i] = input.varint();
  const seriesIds: SeriesId[] = [];
  for (let i = 0; i < length; i++) seriesIds.push(seriesIdOf(readId(input)));
  const firstOrdinals = new Float64Array(length);
  input.addSigned(firstOrdinals, length, true);
  const counts = new Float64Array(length);
  for (let i = 0; i < length; i++) counts[i] = input.varint();
  return { sourceOf, seriesIds, firstOrdinals, counts, flags: input.bytes(length) };
}

/** Reads a count of items that take at least `bytesEach` bytes each. */
function countOf(input: ByteReader, bytesEach: number): number {
  const count = input.varint();
  if (count * bytesEach > input.remaining) throw new CorruptChunkError('a tail block claims too many entries');
  return count;
}

/**
 * Database ids are decimal; they are written as a number if that is lossless, otherwise as text
 * after a 0.
 */
function writeId(id: string): void {
  if (isNumber(id)) {
    out.varint(Number(id));
    return;
  }
  const text = Buffer.from(id);
  out.varint(0);
  out.varint(text.length);
  out.bytes(text);
}

function isNumber(id: string): boolean {
  return /^[1-9][0-9]{0,14}$/.test(id);
}

function seriesIdOf(text: string): SeriesId {
  if (!isSeriesId(text)) throw new CorruptChunkError('a tail entry names an impossible series');
  return text;
}

function fileIdOf(text: string): FileId {
  if (!isFileId(text)) throw new CorruptChunkError('a tail entry names an impossible file');
  return text;
}

function readId(input: ByteReader): string {
  const id = input.varint();
  return id > 0 ? String(id) : Buffer.from(input.bytes(input.varint())).toString();
}
