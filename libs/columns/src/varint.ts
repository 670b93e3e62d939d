import { damaged } from './bad-block.ts';

/** Maximum bytes of a varint, enough for 2^53. */
export const maxVarintBytes = 8;

/** Writes LEB128 varints into a buffer that grows. */
export class VarintWriter {
  #bytes: Uint8Array;
  length = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(Math.max(capacity, 64));
  }

  /** Writes a non-negative integer below 2^53. */
  put(value: number): void {
    if (this.length + maxVarintBytes > this.#bytes.length) this.#grow(maxVarintBytes);
    const bytes = this.#bytes;
    let at = this.length;
    while (value > 0x7fff_ffff) {
      bytes[at++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    while (value > 127) {
      bytes[at++] = (value & 127) | 128;
      value >>>= 7;
    }
    bytes[at++] = value;
    this.length = at;
  }

  putBytes(source: Uint8Array, start: number, end: number): void {
    if (this.length + end - start > this.#bytes.length) this.#grow(end - start);
    this.#bytes.set(source.subarray(start, end), this.length);
    this.length += end - start;
  }

  /** The written bytes; valid until the next write. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  #grow(more: number): void {
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.length + more));
    grown.set(this.written);
    this.#bytes = grown;
  }
}

/** Reads what {@link VarintWriter} wrote, and throws `BadBlock` if the input ends early. */
export class VarintReader {
  readonly bytes: Uint8Array;
  readonly end: number;
  at: number;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  get atEnd(): boolean {
    return this.at >= this.end;
  }

  next(): number {
    if (this.at >= this.end) throw damaged('a number is missing');
    const first = this.bytes[this.at]!;
    if (first < 128) {
      this.at++;
      return first;
    }
    return this.#long();
  }

  #long(): number {
    let value = 0;
    let factor = 1;
    for (let i = 0; i < maxVarintBytes; i++) {
      if (this.at >= this.end) throw damaged('a number is cut off');
      const byte = this.bytes[this.at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      factor *= 128;
    }
    throw damaged('a number is too large');
  }
}

/** Signed integers as varints: 0, -1, 1, -2 … become 0, 1, 2, 3 … Magnitudes up to 2^51. */
export function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** Undoes {@link zigzag}. */
export function unzigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
