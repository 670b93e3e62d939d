import { limits } from '#model';
import { crc32c, maskedCrc } from '#records';

/** How the records of a file are changed. */
export interface RecordChange {
  /** The data of a record without what is removed, in as many bytes; null where nothing is; a text where the data cannot be read. */
  remove(buf: Uint8Array, start: number, end: number): Uint8Array | string | null;
  /** Bytes that may stand in no record that cannot be read. */
  readonly names: readonly Buffer[];
  /** The first records of the file are read though their data checksums are wrong. */
  readonly unverified: number;
  /** Offsets of records that are not to be read. */
  readonly unread: ReadonlySet<number>;
}

const headerBytes = 12;
const footerBytes = 4;

/**
 * Changes the records of a file in place, however the bytes are divided over `push` calls. What comes out has the length of what went in. The data of a record that
 * cannot be read become zeros, with a data checksum that is as good or bad as before: nobody can say that they do not hold what is removed.
 */
export class RecordEditor {
  readonly #change: RecordChange;
  readonly #names: NameSearch;
  /** End of the bytes that are records; what lies behind it cannot be read. */
  readonly #recordsEnd: number;
  #offset = 0;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** Bytes from the start of the waiting ones that are needed to go on. */
  #needed = headerBytes;
  /** Bytes to pass of a record that is too large to be read. */
  #unreadable = 0;
  #found = false;
  #records = 0;

  constructor(change: RecordChange, recordsEnd: number) {
    this.#change = change;
    this.#names = new NameSearch(change.names);
    this.#recordsEnd = recordsEnd;
  }

  /** Something that is to be removed was in what was pushed. */
  get found(): boolean {
    return this.#found || this.#names.found;
  }

  /** Takes the next bytes of the file, and gives those that are done. Never the buffer that was pushed. */
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

  /** Changes what is whole of these bytes; where that ends. */
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

/** Looks for names in bytes that come in pieces. Pieces that do not follow on one another may be taken for one: a name is found too often then, never missed. */
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
