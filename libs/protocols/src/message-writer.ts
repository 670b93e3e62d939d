/**
 * Writes one protobuf message, field by field, into a growing buffer. Default values are written
 * too, so callers must omit them.
 */
export class MessageWriter {
  #bytes: Buffer;
  #length = 0;

  /** `bytes`: initial capacity. */
  constructor(bytes = 256) {
    this.#bytes = Buffer.allocUnsafe(bytes);
  }

  get length(): number {
    return this.#length;
  }

  /** Unsigned, or a signed 64-bit number in two's complement, like int64 and enums. */
  varint(field: number, value: number | bigint): this {
    this.#key(field, 0);
    this.#varint(value);
    return this;
  }

  double(field: number, value: number): this {
    this.#key(field, 1);
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
    return this;
  }

  fixed32(field: number, value: number): this {
    this.#key(field, 5);
    this.#reserve(4);
    this.#length = this.#bytes.writeUInt32LE(value, this.#length);
    return this;
  }

  /** Bytes, text, or a separately written message. */
  bytes(field: number, value: Uint8Array | string): this {
    const size = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
    this.#key(field, 2);
    this.#varint(size);
    this.#reserve(size);
    if (typeof value === 'string') this.#bytes.write(value, this.#length);
    else this.#bytes.set(value, this.#length);
    this.#length += size;
    return this;
  }

  /** Signed 64-bit integers, packed. */
  packedInt64(field: number, values: BigInt64Array): this {
    const packed = new MessageWriter(values.length * 3 + 16);
    // Little-endian, like every platform that Node runs on: low half, high half. A bigint per step
    // would take longer than everything else.
    const halves = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
    for (let i = 0; i < values.length; i++) {
      const low = halves[2 * i]!;
      packed.#varint(halves[2 * i + 1] === 0 && low >= 0 ? low : values[i]!);
    }
    return this.bytes(field, packed.finish());
  }

  /** Doubles, packed. */
  packedDoubles(field: number, values: Float64Array): this {
    return this.bytes(field, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  /** Floats, packed. */
  packedFloats(field: number, values: Float32Array): this {
    return this.bytes(field, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }

  /** The written bytes. Do not use the writer afterwards. */
  finish(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #key(field: number, type: number): void {
    this.#varint((field << 3) | type);
  }

  #varint(value: number | bigint): void {
    this.#reserve(10);
    // Most numbers are small: 64-bit arithmetic is used only when needed.
    if (value >= 0 && value <= 0x7fffffff) {
      let rest = Number(value);
      for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      this.#bytes[this.#length++] = rest;
      return;
    }
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#length++] = Number(rest);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#length + bytes, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
