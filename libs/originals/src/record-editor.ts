import { limits } from '#model';
import { crc32c, maskedCrc } from '#records';

/** How to change a file's records. */
export interface RecordChange {
  /**
   * Returns a record's data without the removed parts, at the same length. Returns null if nothing
   * is removed, or a message if the data cannot be read.
   */
  remove(buf: Uint8Array, start: number, end: number): Uint8Array | string | null;
  /** Byte strings that unreadable records must not contain. */
  readonly names: readonly Buffer[];
  /** Number of leading records that are read even if their data checksums are wrong. */
  readonly unverified: number;
  /** Offsets of records that must not be read. */
  readonly unread: ReadonlySet<number>;
}

const headerBytes = 12;
const footerBytes = 4;

/**
 * Changes a file's records in place, however the bytes are divided into `push` calls. The output is
 * as long as the input. An unreadable record might contain something to be removed, so its data is
 * replaced with zeros. Its data checksum remains valid or invalid, as before.
 */
export class RecordEditor {
  readonly #change: RecordChange;
  readonly #names: NameSearch;
  /** Where the records end. Nothing after this position can be read. */
  readonly #recordsEnd: number;
  #offset = 0;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** How many bytes must be buffered before processing can continue. */
  #needed = headerBytes;
  /** How many bytes to skip of a record that is too large to read. */
  #unreadable = 0;
  #found = false;
  #records = 0;

  constructor(change: RecordChange, recordsEnd: number) {
    this.#change = change;
    this.#names = new NameSearch(change.names);
    this.#recordsEnd = recordsEnd;
  }

  /** Whether the pushed bytes contained anything to be removed. */
  get found(): boolean {
    return this.#found || this.#names.found;
  }

  /** Adds the file's next bytes, and returns finished bytes. Never returns the pushed buffer. */
  push(piece: Uint8Array): Buffer {
    this.#waiting.push(piece);
    this.#waitingBytes += piece.length;
    if (this.#waitingBytes < this.#needed && this.#offset + this.#waitingBytes < this.#recordsEnd) return Buffer.alloc(0);
    const bytes = Buffer.concat(this.#waiting);
    const end = this.#edit(bytes);
    this.#waiting = end < bytes.length ? [bytes.subarray(end)] : [];
    this.#waitingBytes = bytes.length - end;
    this.#offset += end;
    return bytes.subarray(0, end);
  }

  /** Changes the complete records in these bytes, and returns where they end. */
  #edit(bytes: Buffer): number {
    let at = 0;
    for (;;) {
      const offset = this.#offset + at;
      if (this.#unreadable > 0) {
        const count = Math.min(this.#unreadable, bytes.length - at);
        this.#blank(bytes.subarray(at, at + count));
        this.#unreadable -= count;
        at += count;
        if (this.#unreadable > 0) return at;
        continue;
      }
      if (offset >= this.#recordsEnd) {
        this.#blank(bytes.subarray(at));
        return bytes.length;
      }
      this.#needed = headerBytes;
      if (bytes.length - at < headerBytes) return at;
      const length = bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 0x1_0000_0000;
      if (length > limits.maxRecordBytes) {
        this.#records++;
        at += headerBytes;
        this.#unreadable = length + footerBytes;
        continue;
      }
      this.#needed = headerBytes + length + footerBytes;
      if (bytes.length - at < this.#needed) return at;
      this.#editRecord(bytes, at + headerBytes, at + headerBytes + length, offset);
      at += this.#needed;
    }
  }

  #editRecord(bytes: Buffer, start: number, end: number, offset: number): void {
    const sum = maskedCrc(crc32c(0, bytes, start, end));
    const difference = (bytes.readUInt32LE(end) ^ sum) >>> 0;
    const readable = (difference === 0 || this.#records < this.#change.unverified) && !this.#change.unread.has(offset);
    this.#records++;
    const changed = readable ? this.#change.remove(bytes, start, end) : 'not to be read';
    if (changed === null) return;
    if (typeof changed === 'string') this.#blank(bytes.subarray(start, end));
    else {
      this.#found = true;
      bytes.set(changed, start);
    }
    bytes.writeUInt32LE((maskedCrc(crc32c(0, bytes, start, end)) ^ difference) >>> 0, end);
  }

  #blank(bytes: Buffer): void {
    this.#names.look(bytes);
    bytes.fill(0);
  }
}

/**
 * Searches for names in bytes that come in pieces. Non-adjacent pieces may be treated as one, so
 * the search can report extra matches, but never misses a match.
 */
class NameSearch {
  found = false;
  readonly #names: readonly Buffer[];
  readonly #overlap: number;
  #before: Buffer = Buffer.alloc(0);

  constructor(names: readonly Buffer[]) {
    this.#names = names.filter((name) => name.length > 0);
    this.#overlap = Math.max(0, ...this.#names.map((name) => name.length - 1));
  }

  look(bytes: Buffer): void {
    if (this.found || this.#names.length === 0) return;
    const seam = Buffer.concat([this.#before, bytes.subarray(0, this.#overlap)]);
    this.found = this.#names.some((name) => bytes.includes(name) || seam.includes(name));
    const last = bytes.length >= this.#overlap ? bytes : Buffer.concat([this.#before, bytes]);
    this.#before = Buffer.from(last.subarray(Math.max(0, last.length - this.#overlap)));
  }
}
