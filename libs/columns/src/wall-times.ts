/** Bytes of a wall time, a little-endian float64. */
export const wallBytes = 8;

/**
 * Wall times as the differences of their bits from the previous one, modulo 2^64. They are written
 * byte by byte: all lowest bytes first. Events of one step are microseconds apart, so most of these
 * bytes are zero.
 */
export class WallTimeWriter {
  readonly #low: Uint32Array;
  readonly #high: Uint32Array;
  #lastLow = 0;
  #lastHigh = 0;
  count = 0;

  constructor(max: number) {
    this.#low = new Uint32Array(max);
    this.#high = new Uint32Array(max);
  }

  put(bytes: Uint8Array, at: number): void {
    const low = (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
    const high = (bytes[at + 4]! | (bytes[at + 5]! << 8) | (bytes[at + 6]! << 16) | (bytes[at + 7]! << 24)) >>> 0;
    const borrow = low < this.#lastLow ? 1 : 0;
    this.#low[this.count] = low - this.#lastLow;
    this.#high[this.count++] = high - this.#lastHigh - borrow;
    this.#lastLow = low;
    this.#lastHigh = high;
  }

  write(target: Uint8Array, start: number): void {
    const { count } = this;
    for (let plane = 0; plane < wallBytes; plane++) {
      const words = plane < 4 ? this.#low : this.#high;
      const shift = 8 * (plane & 3);
      const to = start + plane * count;
      for (let i = 0; i < count; i++) target[to + i] = words[i]! >>> shift;
    }
  }
}

/** Reads what {@link WallTimeWriter} wrote, in order. */
export class WallTimeReader {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #count: number;
  #next = 0;
  /** The bits of the last wall time. */
  low = 0;
  high = 0;

  constructor(bytes: Uint8Array, start: number, count: number) {
    this.#bytes = bytes;
    this.#start = start;
    this.#count = count;
  }

  get left(): number {
    return this.#count - this.#next;
  }

  /** Moves to the next wall time. The caller has checked that there is one. */
  next(): void {
    const bytes = this.#bytes;
    const count = this.#count;
    const at = this.#start + this.#next++;
    const low = (bytes[at]! | (bytes[at + count]! << 8) | (bytes[at + 2 * count]! << 16) | (bytes[at + 3 * count]! << 24)) >>> 0;
    const upper = at + 4 * count;
    const high =
      (bytes[upper]! | (bytes[upper + count]! << 8) | (bytes[upper + 2 * count]! << 16) | (bytes[upper + 3 * count]! << 24)) >>> 0;
    const sum = low + this.low;
    this.low = sum >>> 0;
    this.high = (high + this.high + (sum > 0xffff_ffff ? 1 : 0)) >>> 0;
  }
}
