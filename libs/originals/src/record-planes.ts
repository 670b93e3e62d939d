import { crc32c, maskedCrc } from '#records';

/*
 * A stretch of whole records in a form that compresses well: without the checksums, which can be recomputed, and with the data of records
 * of one length side by side, byte by byte (all first bytes, all second bytes …), since such records are mostly the same tag again.
 *
 *   count | length of each record | data of the records, by length, lengths in the order of their first appearance
 *
 * count and lengths are LEB128 varints. Measured on scalar logs with noise (60 bytes a point, zstd level 3): 13.7 bytes a point as they
 * are, 8.6 without checksums, 4.9 with the data side by side.
 */
const headerBytes = 12;
const framingBytes = 16;

/** Long records, and lengths that are rare, gain nothing from lying side by side; text even loses. A guess that was right for the logs measured. */
function sideBySide(length: number, count: number): boolean {
  return length <= 512 && count >= 16;
}

/**
 * Where the whole records at the start of `bytes` end, by their lengths alone. `next` is the length, framing included, of the record that
 * begins there, as far as its header can be seen: null when it cannot, or when its checksum is wrong.
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

/** Packs bytes that are whole records from end to end. Null when a checksum in them is not the one that would be recomputed. */
export function packRecords(bytes: Buffer): Buffer | null {
  const lengths: number[] = [];
  const lengthCrcs = new LengthCrcs();
  for (let at = 0; at < bytes.length;) {
    if (at + headerBytes > bytes.length) return null;
    const length = bytes.readUInt32LE(at);
    const dataEnd = at + headerBytes + length;
    if (bytes.readUInt32LE(at + 4) !== 0 || bytes.readUInt32LE(at + 8) !== lengthCrcs.of(length) || dataEnd + 4 > bytes.length) return null;
    if (bytes.readUInt32LE(dataEnd) !== maskedCrc(crc32c(0, bytes, at + headerBytes, dataEnd))) return null;
    lengths.push(length);
    at = dataEnd + 4;
  }
  const groups = new Groups(lengths);
  const packed = Buffer.allocUnsafe(5 * (lengths.length + 1) + groups.bytes);
  let end = writeVarint(packed, 0, lengths.length);
  for (const length of lengths) end = writeVarint(packed, end, length);
  let at = 0;
  for (const length of lengths) {
    at += headerBytes;
    const { first, stride } = groups.next(length, end);
    if (stride === 1) bytes.copy(packed, first, at, at + length);
    else for (let i = 0; i < length; i++) packed[first + i * stride] = bytes[at + i]!;
    at += length + 4;
  }
  return packed.subarray(0, end + groups.bytes);
}

/** Undoes {@link packRecords}: the records with their framing, `length` bytes in all. Throws when that is not what `packed` holds. */
export function unpackRecords(packed: Buffer, length: number): Buffer {
  const cursor = { at: 0 };
  const count = readVarint(packed, cursor);
  if (count * framingBytes > length) throw new RangeError('more records than fit');
  const lengths: number[] = [];
  for (let i = 0; i < count; i++) lengths.push(readVarint(packed, cursor));
  const groups = new Groups(lengths);
  if (groups.bytes + count * framingBytes !== length || cursor.at + groups.bytes !== packed.length)
    throw new RangeError('the lengths of the records do not add up');
  const lengthCrcs = new LengthCrcs();
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const dataLength of lengths) {
    bytes.writeUInt32LE(dataLength, at);
    bytes.writeUInt32LE(0, at + 4);
    bytes.writeUInt32LE(lengthCrcs.of(dataLength), at + 8);
    at += headerBytes;
    const { first, stride } = groups.next(dataLength, cursor.at);
    if (stride === 1) packed.copy(bytes, at, first, first + dataLength);
    else for (let i = 0; i < dataLength; i++) bytes[at + i] = packed[first + i * stride]!;
    bytes.writeUInt32LE(maskedCrc(crc32c(0, bytes, at, at + dataLength)), at + dataLength);
    at += dataLength + 4;
  }
  return bytes;
}

/** Says where the data of each record lies among the groups of equal length. */
class Groups {
  /** Of all data. */
  readonly bytes: number;
  readonly #groups = new Map<number, { count: number; start: number; used: number }>();

  constructor(lengths: readonly number[]) {
    for (const length of lengths) {
      const group = this.#groups.get(length);
      if (group) group.count++;
      else this.#groups.set(length, { count: 1, start: 0, used: 0 });
    }
    let start = 0;
    for (const [length, group] of this.#groups) {
      group.start = start;
      start += length * group.count;
    }
    this.bytes = start;
  }

  /** Place of the next record of this length: its first byte, and how far apart its bytes lie. `base`: where the data begin. */
  next(length: number, base: number): { first: number; stride: number } {
    const group = this.#groups.get(length)!;
    const index = group.used++;
    if (sideBySide(length, group.count)) return { first: base + group.start + index, stride: group.count };
    return { first: base + group.start + index * length, stride: 1 };
  }
}

/** Masked CRCs of record lengths; logs have few different ones. */
class LengthCrcs {
  readonly #known = new Map<number, number>();
  readonly #bytes = Buffer.alloc(8);

  of(length: number): number {
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
