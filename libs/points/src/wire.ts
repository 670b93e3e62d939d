import { limits } from '#model';
import { malformed, nestedTooDeeply } from './rejection.ts';

/** Wire types of protobuf: the low three bits of a field key. */
export const wireType = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const;

/**
 * A cursor over protobuf bytes. All methods throw {@link malformed} instead of reading at or after
 * `end`. Lengths are checked against the available bytes, so nothing is ever allocated for a
 * claimed length.
 */
export class Wire {
  buf: Uint8Array = new Uint8Array(0);
  view: DataView = new DataView(this.buf.buffer);
  pos = 0;
  /**
   * The last varint as two halves: a step becomes an int64 without a BigInt. Both are signed
   * 32-bit.
   */
  low = 0;
  high = 0;

  /** From now on, reads from this buffer. */
  attach(buf: Uint8Array): void {
    if (buf === this.buf) return;
    this.buf = buf;
    this.view = new DataView(buf.buffer, buf.byteOffset, buf.byteLength);
  }

  /** Reads a varint of at most 64 bits into `low` and `high`. */
  varint(end: number): void {
    const buf = this.buf;
    let pos = this.pos;
    let low = 0;
    let high = 0;
    for (let shift = 0; ; shift += 7) {
      if (pos >= end || shift > 63) throw malformed;
      const byte = buf[pos++]!;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) break;
    }
    this.pos = pos;
    this.low = low;
    this.high = high;
  }

  /** Reads a field key: field number times 8 plus wire type. */
  key(end: number): number {
    if (this.pos >= end) throw malformed;
    const byte = this.buf[this.pos]!;
    if (byte < 0x80) {
      if (byte < 8) throw malformed;
      this.pos++;
      return byte;
    }
    this.varint(end);
    // Field numbers have 29 bits; the largest is 2^29 - 1.
    if (this.high !== 0 || this.low >>> 0 < 8) throw malformed;
    return this.low >>> 0;
  }

  /** Reads the length of a field and returns its end; `pos` is then at its first byte. */
  lengthEnd(end: number): number {
    const byte = this.pos < end ? this.buf[this.pos]! : 0x80;
    let length = byte;
    if (byte < 0x80) this.pos++;
    else {
      this.varint(end);
      length = this.low;
      if (this.high !== 0 || length < 0) throw malformed;
    }
    if (length > end - this.pos) throw malformed;
    return this.pos + length;
  }

  /** Moves `pos` past 4 or 8 bytes and returns their start. */
  fixed(bytes: 4 | 8, end: number): number {
    const at = this.pos;
    if (bytes > end - at) throw malformed;
    this.pos = at + bytes;
    return at;
  }

  /** Moves past the value of an unused field; rejects the value if it is malformed. */
  skip(key: number, end: number): void {
    switch (key & 7) {
      case wireType.varint:
        this.varint(end);
        return;
      case wireType.fixed64:
        this.fixed(8, end);
        return;
      case wireType.bytes:
        this.pos = this.lengthEnd(end);
        return;
      case wireType.groupStart:
        this.#skipGroup(key >>> 3, end);
        return;
      case wireType.fixed32:
        this.fixed(4, end);
        return;
      default:
        throw malformed;
    }
  }

  /**
   * Groups can nest; a list instead of recursion prevents a hostile record from overflowing the
   * call stack.
   */
  #skipGroup(field: number, end: number): void {
    const open = [field];
    while (open.length > 0) {
      const key = this.key(end);
      if ((key & 7) === wireType.groupStart) {
        if (open.length >= limits.maxNesting) throw nestedTooDeeply;
        open.push(key >>> 3);
      } else if ((key & 7) === wireType.groupEnd) {
        if (open.pop() !== key >>> 3) throw malformed;
      } else this.skip(key, end);
    }
  }
}

/** Two signed 32-bit halves as one int64. */
export function int64(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}

/** Two signed 32-bit halves as a number; exact up to 2^53. */
export function int64Number(low: number, high: number): number {
  return high * 0x1_0000_0000 + (low >>> 0);
}
