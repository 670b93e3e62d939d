import { type FileProblem, type FileProblemReason, limits } from '#model';
import { crc32c, maskedCrc } from './crc32c.ts';

/*
 * A record (protocol reference A.2), all numbers little-endian:
 *
 *   uint64 length | uint32 masked CRC of these 8 bytes | length bytes of data | uint32 masked CRC of the data
 *   └──────────────── header ───────────────────────┘                          └────── footer ─────────────┘
 */
const headerBytes = 12;
const footerBytes = 4;

/**
 * Receives the data of one record, `buf[start, end)`, and the record's offset in the file. The
 * bytes remain unchanged after the call unless the caller of `push` overwrites its own buffer.
 * Returning `true` stops `push` after this record.
 */
export type RecordVisitor = (buf: Uint8Array, start: number, end: number, offset: number) => boolean | void;

/** Whether `buf[start, end)` is an event, regardless of its content. */
export type IsEvent = (buf: Uint8Array, start: number, end: number) => boolean;

/**
 * Splits the bytes of one event file into records; the division of bytes into `push` calls does not
 * matter.
 *
 * - A record that is complete in a pushed buffer is visited in place. A record that spans pushes is
 *   assembled in a separate buffer, which grows with the bytes received, never to a length that the
 *   file only claims.
 * - An unfinished record is not an error: `offset` stays at its start, and more bytes complete it.
 * - Damage (data rule 8): a wrong length checksum, or a length above
 *   `limits.maxClaimedRecordBytes`, ends the file. A wrong data checksum skips that record; a
 *   length above `limits.maxRecordBytes` skips it unread. Each produces one {@link FileProblem}.
 * - Some writers get every data checksum wrong. If the first two records fail only their data
 *   checksum and are events (`isEvent`), they are visited, and so are the following records up to
 *   the first that differs; `unverified` counts them. Until the second record is complete, the
 *   first one counts as unfinished.
 *
 * After a crash, a new reader that starts at `offset` and gets the file's bytes from there behaves
 * exactly like this one, provided that `unverified` states whether all earlier records were
 * unverified.
 *
 * ```ts
 * import { writeEventFile } from '#testing';
 *
 * const file = writeEventFile([{ step: 1, scalars: { loss: 0.5 } }]); // its version, then the event
 * const lengths: number[] = [];
 * const reader = new RecordReader();
 * reader.push(file.subarray(0, 50), (buf, start, end) => void lengths.push(end - start));
 * assert.equal(reader.offset, 40); // the second record is unfinished
 * reader.push(file.subarray(50), (buf, start, end) => void lengths.push(end - start));
 * assert.deepEqual([reader.records, reader.offset], [2, file.length]);
 * assert.equal(lengths[0], 24); // without its framing
 * ```
 */
export class RecordReader {
  /** Start of the first incomplete record. */
  #offset: number;
  #records = 0;
  #ended: FileProblem | null = null;
  #problems: FileProblem[] = [];

  /** The received bytes of the record at `#offset` while it is unfinished: `#partial[0, #have)`. */
  #partial: Uint8Array = nothing;
  #have = 0;
  /** Total length of the unfinished record once its header is complete and valid, otherwise 0. */
  #total = 0;
  /**
   * Whether the unfinished record is being skipped unread. If so, `#have` counts its bytes,
   * although none are kept.
   */
  #skipping = false;

  /** If null, a wrong data checksum is damage from here on. */
  #isEvent: IsEvent | null;
  #unverified = 0;
  /**
   * The first record of the file if only its data checksum is wrong, until the second record
   * decides how to treat it.
   */
  #held: Uint8Array | null = null;

  /**
   * `offset`: file position of the first pushed byte; 0, or the `offset` of an earlier reader.
   * `unverified`: whether all earlier records were unverified.
   */
  constructor({
    offset = 0,
    unverified = false,
    isEvent = null,
  }: { offset?: number; unverified?: boolean; isEvent?: IsEvent | null } = {}) {
    this.#offset = offset;
    this.#isEvent = offset === 0 || unverified ? isEvent : null;
  }

  /**
   * End of the last complete record, in bytes from the start of the file. Reading resumes there
   * after a crash.
   */
  get offset(): number {
    return this.#held === null ? this.#offset : 0;
  }

  /**
   * Smallest file length at which reading can continue: the end of the unfinished record, or of its
   * header while that is incomplete.
   */
  get needsOffset(): number {
    return this.#offset + (this.#total || headerBytes);
  }

  /** Number of complete records so far, including skipped ones. */
  get records(): number {
    return this.#records - (this.#held === null ? 0 : 1);
  }

  /** The number of complete records that were visited although their data checksum is wrong. */
  get unverified(): number {
    return this.#unverified;
  }

  /** The reason why nothing after `offset` can be read, or null. */
  get ended(): FileProblem | null {
    return this.#ended;
  }

  /**
   * Whether the next byte starts a record that {@link pass} may skip. False while the first records
   * of a file decide how wrong checksums are treated.
   */
  get isAtRecord(): boolean {
    return this.#have === 0 && !this.#skipping && this.#isEvent === null && this.#ended === null;
  }

  /**
   * Counts the record that starts at `offset` and has `bytes` bytes with its framing, without
   * visiting it. The caller knows its data and that its checksums are valid.
   */
  pass(bytes: number): void {
    this.#offset += bytes;
    this.#records++;
  }

  /**
   * Returns the problems found since the last call, in file order. The problem in `ended` is
   * included once.
   */
  takeProblems(): FileProblem[] {
    const problems = this.#problems;
    this.#problems = [];
    return problems;
  }

  /**
   * Reads the next bytes of the file, `bytes[from, …)`, and visits the records they complete.
   * Returns the position after the last byte read: `bytes.length`, or less if the visitor stopped
   * the reader; then push the rest again. After damage that ends the file, the reader reads
   * everything and visits nothing.
   */
  push(bytes: Uint8Array, visit: RecordVisitor, from = 0): number {
    let at = from;
    while (at < bytes.length && this.#ended === null) {
      if (this.#have > 0 || this.#skipping) {
        at = this.#skipping ? this.#skip(bytes, at) : this.#assemble(bytes, at);
        if (!this.#skipping && this.#total > 0 && this.#have === this.#total && this.#finishPartial(visit)) return at;
        continue;
      }
      const stoppedAt = this.#visitWhole(bytes, at, visit);
      if (stoppedAt >= 0) return stoppedAt;
      at = ~stoppedAt;
    }
    return bytes.length;
  }

  /**
   * Visits the records that are complete in `bytes`, starting at `at`, and starts the next one.
   * Returns the bit complement of the position reached, or the position itself if the visitor
   * stopped the reader.
   */
  #visitWhole(bytes: Uint8Array, at: number, visit: RecordVisitor): number {
    const end = bytes.length;
    let offset = this.#offset;
    let pos = at;
    while (end - pos >= headerBytes) {
      const length = bytes[pos]! | (bytes[pos + 1]! << 8) | (bytes[pos + 2]! << 16) | (bytes[pos + 3]! << 24);
      // The code for unfinished records handles any unusual length.
      if (length < 0 || length > limits.maxRecordBytes) break;
      if ((bytes[pos + 4]! | bytes[pos + 5]! | bytes[pos + 6]! | bytes[pos + 7]!) !== 0) break;
      const lengthCrc = length < shortLengthCrcs.length ? shortLengthCrcs[length]! : maskedCrc(crc32c(0, bytes, pos, pos + 8));
      if (uint32(bytes, pos + 8) !== lengthCrc) break;
      const dataEnd = pos + headerBytes + length;
      const next = dataEnd + footerBytes;
      if (next > end) break;
      this.#records++;
      const recordOffset = offset;
      const dataStart = pos + headerBytes;
      const isGood = uint32(bytes, dataEnd) === maskedCrc(crc32c(0, bytes, dataStart, dataEnd));
      offset += next - pos;
      pos = next;
      this.#offset = offset;
      if (isGood && this.#isEvent === null) {
        if (visit(bytes, dataStart, dataEnd, recordOffset) === true) return pos;
      } else if (this.#judge(bytes, dataStart, dataEnd, recordOffset, isGood, visit)) return pos;
    }
    this.#offset = offset;
    return ~(pos < end ? this.#assemble(bytes, pos) : pos);
  }

  /**
   * Adds bytes to the unfinished record, at most up to its end. Returns the position after them.
   */
  #assemble(bytes: Uint8Array, at: number): number {
    let pos = at;
    if (this.#total === 0) {
      pos = this.#append(bytes, pos, headerBytes);
      if (this.#have < headerBytes || !this.#readHeader()) return pos;
    }
    return this.#skipping ? this.#skip(bytes, pos) : this.#append(bytes, pos, this.#total);
  }

  /** Copies bytes until the partial record has `wanted` bytes. */
  #append(bytes: Uint8Array, at: number, wanted: number): number {
    const count = Math.min(wanted - this.#have, bytes.length - at);
    const have = this.#have + count;
    if (have > this.#partial.length) {
      // Doubling keeps the copying linear; reserved bytes never exceed twice the received ones.
      const grown = new Uint8Array(Math.max(have, Math.min(wanted, 2 * this.#have)));
      grown.set(this.#partial.subarray(0, this.#have));
      this.#partial = grown;
    }
    this.#partial.set(bytes.subarray(at, at + count), this.#have);
    this.#have = have;
    return at + count;
  }

  /** Reads the header of the partial record. Returns false if the header ends the file. */
  #readHeader(): boolean {
    const header = this.#partial;
    const want = maskedCrc(crc32c(0, header, 0, 8));
    const got = uint32(header, 8);
    if (got !== want) {
      this.#distrust();
      return this.#end('length-checksum', `The checksum of the record's length is wrong (${hex(got)} instead of ${hex(want)}).`);
    }
    const length = uint32(header, 0) + uint32(header, 4) * 0x1_0000_0000;
    if (length > limits.maxClaimedRecordBytes) {
      this.#distrust();
      const exact = (BigInt(uint32(header, 4)) << 32n) | BigInt(uint32(header, 0));
      return this.#end(
        'length-too-large',
        `The record claims a length of ${exact} bytes, above the maximum of ${limits.maxClaimedRecordBytes}.`,
      );
    }
    this.#total = headerBytes + length + footerBytes;
    if (length > limits.maxRecordBytes) {
      this.#skipping = true;
      this.#partial = nothing;
    }
    return true;
  }

  /**
   * Skips bytes of a record that is too large. Until its end, `offset` stays at its start, so a new
   * reader skips it as well.
   */
  #skip(bytes: Uint8Array, at: number): number {
    const count = Math.min(this.#total - this.#have, bytes.length - at);
    this.#have += count;
    if (this.#have === this.#total) {
      this.#distrust();
      this.#problems.push({
        offset: this.#offset,
        bytes: this.#total,
        reason: 'record-too-large',
        detail: `The record holds ${this.#total - headerBytes - footerBytes} bytes; the limit is ${limits.maxRecordBytes}.`,
        endsFile: false,
      });
      this.#next();
    }
    return at + count;
  }

  /**
   * Checks and visits the assembled record. Ownership of its buffer passes to the visitor, which
   * may keep views of it. Returns true if the visitor stops.
   */
  #finishPartial(visit: RecordVisitor): boolean {
    const record = this.#partial;
    const offset = this.#offset;
    const total = this.#total;
    const dataEnd = total - footerBytes;
    this.#next();
    const isGood = uint32(record, dataEnd) === maskedCrc(crc32c(0, record, headerBytes, dataEnd));
    return this.#judge(record, headerBytes, dataEnd, offset, isGood, visit);
  }

  /**
   * Visits a complete record if it may be read, after the held record. Returns true if the visitor
   * stops.
   */
  #judge(buf: Uint8Array, start: number, end: number, offset: number, isGood: boolean, visit: RecordVisitor): boolean {
    if (!isGood && this.#isEvent?.(buf, start, end) === true) {
      if (offset === 0) {
        // A copy: the buffer belongs to the caller.
        this.#held = Uint8Array.from(buf.subarray(start, end));
        return false;
      }
      const held = this.#held;
      this.#held = null;
      this.#unverified += held === null ? 1 : 2;
      if (held !== null) this.#problems.push(unverified);
      const stopped = held !== null && visit(held, 0, held.length, 0) === true;
      return visit(buf, start, end, offset) === true || stopped;
    }
    this.#distrust();
    if (isGood) return visit(buf, start, end, offset) === true;
    this.#problems.push(badData(offset, end - start + headerBytes + footerBytes));
    return false;
  }

  /**
   * From here on, a wrong data checksum is damage. If the first record was the only one with a
   * wrong checksum, it was damage too.
   */
  #distrust(): void {
    this.#isEvent = null;
    if (this.#held === null) return;
    this.#problems.push(badData(0, this.#held.length + headerBytes + footerBytes));
    this.#held = null;
  }

  #next(): void {
    this.#offset += this.#total;
    this.#records++;
    this.#partial = nothing;
    this.#have = 0;
    this.#total = 0;
    this.#skipping = false;
  }

  #end(reason: FileProblemReason, detail: string): false {
    // The number of skipped bytes depends on the file's length, which only the caller knows: 0
    // here.
    this.#ended = { offset: this.#offset, bytes: 0, reason, detail, endsFile: true };
    this.#problems.push(this.#ended);
    this.#partial = nothing;
    this.#have = 0;
    return false;
  }
}

const nothing = new Uint8Array(0);

/** Masked CRCs of the lengths that nearly all records have; saves 10% of the time per record. */
const shortLengthCrcs = Uint32Array.from({ length: 1024 }, (_, length) => {
  return maskedCrc(crc32c(0, Uint8Array.of(length & 255, length >> 8, 0, 0, 0, 0, 0, 0)));
});

const unverified: FileProblem = {
  offset: 0,
  bytes: 0,
  reason: 'unverified-records',
  detail:
    'The data checksums of the first records are wrong, though these are whole events. They were read, but may differ from what was logged.',
  endsFile: false,
};

function badData(offset: number, bytes: number): FileProblem {
  return { offset, bytes, reason: 'data-checksum', detail: "The checksum of the record's data is wrong.", endsFile: false };
}

function uint32(buf: Uint8Array, at: number): number {
  return (buf[at]! | (buf[at + 1]! << 8) | (buf[at + 2]! << 16) | (buf[at + 3]! << 24)) >>> 0;
}

function hex(crc: number): string {
  return `0x${crc.toString(16).padStart(8, '0')}`;
}
