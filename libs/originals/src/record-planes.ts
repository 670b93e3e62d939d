import { crc32c, maskedCrc } from '#records';

/*
 * A range of whole records in a form that compresses well. Checksums are omitted, because they can
 * be recomputed. The data of records of equal length is interleaved byte by byte (all first bytes,
 * all second bytes …), because such records usually have the same tag.
 *
 * count | length of each record | record data grouped by length, in order of each length's first
 * appearance
 *
 * The count and lengths are LEB128 varints. Measured on scalar logs with noise (60 bytes per point,
 * zstd level 3): 13.7 bytes per point unchanged, 8.6 without checksums, 4.9 with interleaved data.
 */
const headerBytes = 12;
const framingBytes = 16;

/**
 * Interleaving long records or rare lengths gains nothing, and even makes text larger. Four records
 * are enough for the few that a live run writes per second.
 */
function sideBySide(length: number, count: number): boolean {
  return length <= 512 && count >= 4;
}

/**
 * Finds the end of the complete records at the start of `bytes`, according to their lengths. If the
 * next record's header is complete (even with a wrong checksum), `next` is that record's length,
 * including framing; otherwise, null.
 */
export function findWholeRecords(bytes: Buffer): { end: number; next: number | null } {
  let at = 0;
  const lengthCrcs = new LengthCrcs();
  while (at + headerBytes <= bytes.length) {
    const length = bytes.readUInt32LE(at);
    const valid = bytes.readUInt32LE(at + 4) === 0 && bytes.readUInt32LE(at + 8) === lengthCrcs.of(length);
    if (!valid) return { end: at, next: null };
    if (at + framingBytes + length > bytes.length) return { end: at, next: framingBytes + length };
    at += framingBytes + length;
  }
  return { end: at, next: null };
}

/**
 * Packs bytes that consist of complete records. Returns null if one of their checksums differs from
 * the recomputed checksum.
 */
export function packRecords(bytes: Buffer): Buffer | null {
  const places = new Places(Math.ceil(bytes.length / framingBytes));
  const lengthCrcs = new LengthCrcs();
  for (let at = 0; at < bytes.length;) {
    if (at + headerBytes > bytes.length) return null;
    const length = bytes.readUInt32LE(at);
    const dataEnd = at + headerBytes + length;
    if (bytes.readUInt32LE(at + 4) !== 0 || bytes.readUInt32LE(at + 8) !== lengthCrcs.of(length) || dataEnd + 4 > bytes.length) return null;
    if (bytes.readUInt32LE(dataEnd) !== maskedCrc(crc32c(0, bytes, at + headerBytes, dataEnd))) return null;
    places.add(at + headerBytes, length);
    at = dataEnd + 4;
  }
  const packed = Buffer.allocUnsafe(5 * (places.count + 1) + bytes.length);
  let end = writeVarint(packed, 0, places.count);
  for (let i = 0; i < places.count; i++) end = writeVarint(packed, end, places.lengths[i]!);
  for (const { length, records } of places.byLength()) {
    if (sideBySide(length, records.length)) gather(bytes, records, length, packed, end);
    else records.forEach((from, i) => bytes.copy(packed, end + i * length, from, from + length));
    end += length * records.length;
  }
  return packed.subarray(0, end);
}

/**
 * Undoes {@link packRecords}: returns the records with their framing, `length` bytes in total.
 * Throws if `packed` does not contain such records.
 */
export function unpackRecords(packed: Buffer, length: number): Buffer {
  const cursor = { at: 0 };
  const count = readVarint(packed, cursor);
  if (count * framingBytes > length) throw new RangeError('more records than fit');
  const places = new Places(count);
  let end = 0;
  for (let i = 0; i < count; i++) {
    const dataLength = readVarint(packed, cursor);
    places.add(end + headerBytes, dataLength);
    end += framingBytes + dataLength;
  }
  if (end !== length || cursor.at + length - count * framingBytes !== packed.length)
    throw new RangeError('the lengths of the records do not add up');
  const bytes = Buffer.allocUnsafe(length);
  for (const { length: dataLength, records } of places.byLength()) {
    if (sideBySide(dataLength, records.length)) scatter(packed, cursor.at, bytes, records, dataLength);
    else records.forEach((to, i) => packed.copy(bytes, to, cursor.at + i * dataLength, cursor.at + (i + 1) * dataLength));
    cursor.at += dataLength * records.length;
  }
  const lengthCrcs = new LengthCrcs();
  for (let i = 0; i < count; i++) {
    const data = places.starts[i]!;
    const dataLength = places.lengths[i]!;
    bytes.writeUInt32LE(dataLength, data - 12);
    bytes.writeUInt32LE(0, data - 8);
    bytes.writeUInt32LE(lengthCrcs.of(dataLength), data - 4);
    bytes.writeUInt32LE(maskedCrc(crc32c(0, bytes, data, data + dataLength)), data + dataLength);
  }
  return bytes;
}

// Records are processed in blocks with data that fits in the processor's L1 cache.
const recordsPerBlock = 256;

/**
 * Interleaves the data of records of equal length: byte j of record i goes to `target[at + j *
 * records + i]`.
 */
function gather(source: Buffer, records: Int32Array, length: number, target: Buffer, at: number): void {
  const count = records.length;
  for (let block = 0; block < count; block += recordsPerBlock) {
    const blockEnd = Math.min(block + recordsPerBlock, count);
    for (let j = 0; j < length; j++) {
      const row = at + j * count;
      for (let i = block; i < blockEnd; i++) target[row + i] = source[records[i]! + j]!;
    }
  }
}

/** Undoes {@link gather}. */
function scatter(source: Buffer, at: number, target: Buffer, records: Int32Array, length: number): void {
  const count = records.length;
  for (let block = 0; block < count; block += recordsPerBlock) {
    const blockEnd = Math.min(block + recordsPerBlock, count);
    for (let j = 0; j < length; j++) {
      const row = at + j * count;
      for (let i = block; i < blockEnd; i++) target[records[i]! + j] = source[row + i]!;
    }
  }
}

/**
 * The positions of the records' data, by record and by length. Uses typed arrays: a frame has
 * thousands of records, and an object for each would cost more than the copy.
 */
class Places {
  readonly starts: Int32Array;
  readonly lengths: Int32Array;
  count = 0;

  constructor(maxRecords: number) {
    this.starts = new Int32Array(maxRecords);
    this.lengths = new Int32Array(maxRecords);
  }

  add(start: number, length: number): void {
    this.starts[this.count] = start;
    this.lengths[this.count++] = length;
  }

  /** The data positions for each length, in order of each length's first appearance. */
  byLength(): { length: number; records: Int32Array }[] {
    const counts = new Map<number, number>();
    for (let i = 0; i < this.count; i++) counts.set(this.lengths[i]!, (counts.get(this.lengths[i]!) ?? 0) + 1);
    const groups = new Map([...counts].map(([length, count]) => [length, { length, records: new Int32Array(count), filled: 0 }]));
    for (let i = 0; i < this.count; i++) {
      const group = groups.get(this.lengths[i]!)!;
      group.records[group.filled++] = this.starts[i]!;
    }
    return [...groups.values()];
  }
}

/** Masked CRCs of record lengths, cached because logs have few different lengths. */
class LengthCrcs {
  readonly #known = new Map<number, number>();
  readonly #bytes = Buffer.alloc(8);
  #lastLength = -1;
  #lastCrc = 0;

  of(length: number): number {
    if (length !== this.#lastLength) {
      this.#lastCrc = this.#lookUp(length);
      this.#lastLength = length;
    }
    return this.#lastCrc;
  }

  #lookUp(length: number): number {
    let crc = this.#known.get(length);
    if (crc === undefined) {
      this.#bytes.writeUInt32LE(length);
      crc = maskedCrc(crc32c(0, this.#bytes));
      this.#known.set(length, crc);
    }
    return crc;
  }
}

function writeVarint(target: Buffer, at: number, value: number): number {
  while (value > 127) {
    target[at++] = (value & 127) | 128;
    value >>>= 7;
  }
  target[at++] = value;
  return at;
}

function readVarint(source: Buffer, cursor: { at: number }): number {
  let value = 0;
  for (let factor = 1; factor < 2 ** 35; factor *= 128) {
    const byte = source[cursor.at++];
    if (byte === undefined) throw new RangeError('the lengths of the records are cut off');
    value += (byte & 127) * factor;
    if (byte < 128) return value;
  }
  throw new RangeError('a length of a record is too long');
}
